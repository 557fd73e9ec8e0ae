import { decodeBase64Url } from './base64url.ts'

/** How authenticators know a user (WebAuthn, section 5.4.3): the id, which says nothing about the person. */
export function userHandleBytes(userId: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(userId)
}

export function writeUserHandle(userId: string): string {
  return Buffer.from(userHandleBytes(userId)).toString('base64url')
}

export function readUserHandle(userHandle: string): string | undefined {
  return decodeBase64Url(userHandle)?.toString('utf8')
}
