import { hashToken } from '../../platform/crypto/tokens.ts'

/** How long a browser that followed an invitation's link may sign up with it. */
export const INVITATION_COOKIE_SECONDS = 3_600

/** Half of the reference in a letter's link opens the invitation; the database has its hash only. */
export interface InvitationReference {
  id: string
  secretHash: string
}

/** `{id}.{secret}` → its parts; undefined when it is not of that form. */
export function parseReference(reference: string): InvitationReference | undefined {
  const parts = /^(inv_[0-9a-v]{26})\.([A-Za-z0-9_-]{43})$/.exec(reference)
  return parts?.[1] && parts[2] ? { id: parts[1], secretHash: hashToken(parts[2]) } : undefined
}

export function formatReference(id: string, secret: string): string {
  return `${id}.${secret}`
}
