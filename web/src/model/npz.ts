// NumPy's archive of arrays: a zip file whose members are .npy files.

import { unzipSync } from "fflate";

/** A recording that cannot be read; the message is a sentence for the reader of the page. */
export class DamagedRecording extends Error {}

export interface Npy {
  /** NumPy's name of the type, without the byte order: "i8", "u1", ... */
  readonly type: string;
  readonly shape: readonly number[];
  /** The elements, at offset 0 of a buffer of their own. */
  readonly bytes: Uint8Array;
}

/** Read one .npy file. Throws DamagedRecording. */
export function readNpy(file: Uint8Array, name: string): Npy {
  const magic = String.fromCharCode(...file.subarray(1, 6));
  if (file.length < 10 || file[0] !== 0x93 || magic !== "NUMPY")
    throw new DamagedRecording(`its member ${name} is not a NumPy array`);
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const isLong = file[6] >= 2;
  const start = isLong ? 12 : 10;
  const length = isLong ? view.getUint32(8, true) : view.getUint16(8, true);
  const header = new TextDecoder("latin1").decode(file.subarray(start, start + length));
  const type = /'descr':\s*'([<>|=])([a-zA-Z]\d+)'/.exec(header);
  const shape = /'shape':\s*\(([^)]*)\)/.exec(header);
  if (!type || !shape || type[1] === ">" || /'fortran_order':\s*True/.test(header))
    throw new DamagedRecording(`its member ${name} has a form that this page does not read`);
  const dims = shape[1]
    .split(",")
    .filter((d) => d.trim())
    .map(Number);
  const size = Number(type[2].slice(1)) * dims.reduce((a, b) => a * b, 1);
  const bytes = file.slice(start + length, start + length + size);
  if (bytes.length !== size) throw new DamagedRecording(`its member ${name} is cut off`);
  return { type: type[2], shape: dims, bytes };
}

/** The members of an .npz file by name. Members are inflated when they are asked for. */
export class Archive {
  constructor(private readonly file: Uint8Array) {}

  /** Return the members that `wanted` accepts. Throws DamagedRecording. */
  read(wanted: (name: string) => boolean): Map<string, Npy> {
    let files: Record<string, Uint8Array>;
    try {
      files = unzipSync(this.file, { filter: (f) => wanted(memberName(f.name)) });
    } catch {
      throw new DamagedRecording("its archive cannot be unpacked");
    }
    const found = new Map<string, Npy>();
    for (const [name, bytes] of Object.entries(files))
      found.set(memberName(name), readNpy(bytes, memberName(name)));
    return found;
  }
}

const memberName = (name: string) => name.replace(/\.npy$/, "");

/** Return integers of any width as doubles, which hold every time up to 2^53 exactly. */
export function asNumbers({ type, bytes }: Npy): Float64Array {
  const buffer = bytes.buffer as ArrayBuffer;
  if (type === "i8" || type === "u8") {
    const words = new Uint32Array(buffer);
    const found = new Float64Array(words.length / 2);
    for (let i = 0; i < found.length; i++) {
      const high = type === "i8" ? words[2 * i + 1] | 0 : words[2 * i + 1];
      found[i] = high * 4294967296 + words[2 * i];
    }
    return found;
  }
  return Float64Array.from(asInts({ type, bytes, shape: [] }));
}

/** Return integers of at most 32 bits. */
export function asInts({ type, bytes }: Npy): Int32Array {
  const buffer = bytes.buffer as ArrayBuffer;
  switch (type) {
    case "i4":
      return new Int32Array(buffer);
    case "i2":
      return Int32Array.from(new Int16Array(buffer));
    case "i1":
      return Int32Array.from(new Int8Array(buffer));
    case "u1":
      return Int32Array.from(bytes);
    case "u2":
      return Int32Array.from(new Uint16Array(buffer));
    case "i8":
      return Int32Array.from(asNumbers({ type, bytes, shape: [] }));
    default:
      throw new DamagedRecording(`it has integers of the type ${type}`);
  }
}

/** Words of 64 bits as pairs of 32: `lo[i]` and `hi[i]`. */
export interface Pairs {
  readonly lo: Uint32Array;
  readonly hi: Uint32Array;
}

/** Return the halves of 64-bit integers. */
export function asPairs({ type, bytes }: Npy): Pairs {
  if (type !== "u8" && type !== "i8")
    throw new DamagedRecording(`it has words of the type ${type}, not u8`);
  const words = new Uint32Array(bytes.buffer as ArrayBuffer);
  const n = words.length / 2;
  const lo = new Uint32Array(n);
  const hi = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    lo[i] = words[2 * i];
    hi[i] = words[2 * i + 1];
  }
  return { lo, hi };
}
