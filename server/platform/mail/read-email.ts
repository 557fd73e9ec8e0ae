import type { PlatformContext } from '../context.ts'
import { UnknownSecretError } from '../crypto/keyring.ts'
import type { RenderedEmail } from './email.ts'

/** Why an email's text can't be read. */
export class UnreadableEmailError extends Error {
  override name = 'UnreadableEmailError'
  /** False while the secret is being rotated: another process may know the secret that this one does not. */
  isFinal: boolean

  constructor(cause: unknown) {
    super('The email can not be decrypted.', { cause })
    this.isFinal = !(cause instanceof UnknownSecretError)
  }
}

/** The one place that decrypts emails. @throws UnreadableEmailError */
export function readEmail({ keyring }: Pick<PlatformContext, 'keyring'>, encryptedEmail: string): RenderedEmail {
  try {
    return JSON.parse(keyring.decrypt('letter', encryptedEmail)) as RenderedEmail
  } catch (error) {
    throw new UnreadableEmailError(error)
  }
}
