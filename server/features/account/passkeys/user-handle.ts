import { decodeBase64Url } from './base64url.ts'

/** The user id, which contains no personal data (WebAuthn, section 5.4.3). */
export function writeUserHandle(userId: string): string {
  return Buffer.from(userId, 'utf8').toString('base64url')
}

export function readUserHandle(userHandle: string): string | undefined {
  return decodeBase64Url(userHandle)?.toString('utf8')
}
