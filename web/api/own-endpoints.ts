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
 * Verifies an email address with the token of an emailed link. Where the link was asked for with a place to go on to, the
 * service names it, and the promise stays open until this page is gone.
 */
export async function verifyEmail(token: string): Promise<unknown> {
  const { callbackURL } = await request<{ callbackURL?: string }>(
    `/api/auth/verify-email?${new URLSearchParams({ token })}`,
  )
  if (callbackURL === undefined) return
  location.assign(callbackURL)
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
