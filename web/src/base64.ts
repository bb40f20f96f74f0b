import { DamagedRecording } from "./model/npz";

/** Return the bytes of a base64 text. Throws DamagedRecording. */
export function decodeBase64(text: string): Uint8Array {
  let raw: string;
  try {
    raw = atob(text.trim());
  } catch {
    throw new DamagedRecording("it is not base64 text");
  }
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}
