import { hashToken } from '../../platform/crypto/tokens.ts'

/** A browser can sign up for this time after it followed the link of an invitation. */
export const INVITATION_COOKIE_SECONDS = 3_600

/** The reference of an emailed link. The database has only the hash of its secret. */
export interface InvitationReference {
  id: string
  secretHash: string
}

/** @param reference `{id}.{secret}`; imported invitations have ids of another form */
export function parseReference(reference: string): InvitationReference | undefined {
  const parts = /^([\w-]{1,64})\.([A-Za-z0-9_-]{43})$/.exec(reference)
  return parts?.[1] && parts[2] ? { id: parts[1], secretHash: hashToken(parts[2]) } : undefined
}

export function formatReference(id: string, secret: string): string {
  return `${id}.${secret}`
}
