" Comments, indentation, `:make` (errors in the quickfix list) and `gq` (the formatter).
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=//\ %s comments=://
setlocal expandtab shiftwidth=4 softtabstop=4 textwidth=0
setlocal makeprg=simtlab\ check\ %:S
setlocal errorformat=%E%trror[%*[^]]]:\ %m,%C\ %#-->\ %f:%l:%c,%C%.%#
setlocal formatprg=simtlab\ fmt\ -

let b:undo_ftplugin = "setlocal commentstring< comments< expandtab< shiftwidth< softtabstop<"
      \ . " textwidth< makeprg< errorformat< formatprg<"
