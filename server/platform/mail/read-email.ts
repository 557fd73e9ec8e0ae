import type { PlatformContext } from '../context.ts'
import { UnknownSecretError } from '../crypto/keyring.ts'
import type { RenderedEmail } from './email.ts'
import { UNREADABLE } from './email-deliveries.ts'

export class UnreadableEmailError extends Error {
  override name = 'UnreadableEmailError'
  /** False during a rotation of SECRET, because another process may have the secret of the email. */
  isFinal: boolean

  constructor(cause: unknown) {
    super(UNREADABLE, { cause })
    this.isFinal = !(cause instanceof UnknownSecretError)
  }
}

/** @throws UnreadableEmailError */
export function readEmail({ keyring }: Pick<PlatformContext, 'keyring'>, encryptedEmail: string): RenderedEmail {
  try {
    return JSON.parse(keyring.decrypt('letter', encryptedEmail)) as RenderedEmail
  } catch (error) {
    throw new UnreadableEmailError(error)
  }
}
