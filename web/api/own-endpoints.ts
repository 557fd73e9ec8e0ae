import { request } from './request.ts'

export type Invitation = {
  id: string
  email: string
  role: string
  organizationName: string
  organizationSlug: string
  inviterName: string
  expiresAt: string
}

export type PendingInvitation = { invitation: Invitation; addressKnown: boolean }

export type Letter = { id: string; to: string; subject: string; text: string; html: string; createdAt: string }

export type FirstAdministrator = { token: string; name: string; email: string; password: string }

/** A passkey that stays when the password is reset, unless the user removes it. */
export type PasskeyOfReset = { id: string; name: string; createdAt: string; isNew: boolean }

export type NewPassword = { token: string; newPassword: string; removePasskeys: string[] }

export function setUp(first: FirstAdministrator): Promise<unknown> {
  return request('/api/setup', first)
}

export function verifyPassword(password: string): Promise<unknown> {
  return request('/api/auth/verify-password', { password })
}

export function readPasskeysOfReset(token: string): Promise<PasskeyOfReset[]> {
  return request('/api/reset-password/passkeys', { token })
}

export function resetPassword(input: NewPassword): Promise<unknown> {
  return request('/api/auth/reset-password', input)
}

/**
 * Proves an address with the token of a letter. With somewhere to go on to the browser itself makes the request, since
 * only the service knows where it may send people; the promise then stays open until the page is gone.
 */
export function verifyEmail(token: string, callbackUrl: string | null): Promise<unknown> {
  if (callbackUrl === null) return request(`/api/auth/verify-email?${new URLSearchParams({ token })}`)
  location.assign(`/api/auth/verify-email?${new URLSearchParams({ token, callbackURL: callbackUrl })}`)
  return new Promise(() => {})
}

export function undoChangeEmail(token: string): Promise<unknown> {
  return request('/api/undo-change-email', { token })
}

export function deleteAccount(token: string): Promise<unknown> {
  return request(`/api/auth/delete-user/callback?${new URLSearchParams({ token })}`)
}

export function readInvitation(): Promise<PendingInvitation | null> {
  return request('/api/invitation')
}

export async function readLetters(): Promise<Letter[]> {
  const { letters } = await request<{ letters: Letter[] }>('/dev/mailbox/letters')
  return letters
}
