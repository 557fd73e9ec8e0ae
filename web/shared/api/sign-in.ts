import type { Static } from 'typebox'
import type { SignInResponse } from '../../../server/features/account/passwords/schemas.ts'
import { request } from './request.ts'
import { sendCode, type TwoStepMethod } from './two-step.ts'

/** The step after the right password: the user must enter a code. The cookie of the browser has the challenge. */
export type SecondStep = { method: TwoStepMethod; isCodeSent: boolean }

type FirstStep = { email: string; password: string; rememberMe: boolean }

/** @returns the second step, or null: the user is signed in */
export async function signInWithPassword(firstStep: FirstStep): Promise<SecondStep | null> {
  const answer = await request<Static<typeof SignInResponse>>('/api/auth/sign-in/email', firstStep)
  if (!('twoFactorRedirect' in answer)) return null
  const [method = 'totp'] = answer.twoFactorMethods
  return { method, isCodeSent: method === 'otp' && (await isSent()) }
}

/** A refusal is shown when the user asks for the code with the button. */
function isSent(): Promise<boolean> {
  return sendCode().then(
    () => true,
    () => false,
  )
}
