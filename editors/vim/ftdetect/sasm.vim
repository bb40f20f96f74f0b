autocmd BufNewFile,BufRead *.sasm,*.sinc setfiletype sasm
