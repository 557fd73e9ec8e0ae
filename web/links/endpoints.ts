import type { Static } from 'typebox'
import type { VerifyEmailResponse } from '../../server/features/account/email/schemas.ts'
import { request } from '../shared/api/request.ts'

/** Verifies an email address with the token of an emailed link. */
export function verifyEmail(token: string): Promise<Static<typeof VerifyEmailResponse>> {
  return sendLink(`/api/auth/verify-email?${new URLSearchParams({ token })}`)
}

export function undoChangeEmail(token: string): Promise<unknown> {
  return request('/api/undo-change-email', { token })
}

export function deleteAccount(token: string): Promise<unknown> {
  return sendLink(`/api/auth/delete-user/callback?${new URLSearchParams({ token })}`)
}

/** If the link was requested with a `callbackURL`, the browser goes there, and the promise stays pending. */
async function sendLink<Answer extends { callbackURL?: string }>(path: string): Promise<Answer> {
  const answer = await request<Answer>(path)
  if (answer.callbackURL === undefined) return answer
  location.assign(answer.callbackURL)
  return new Promise(() => {})
}
