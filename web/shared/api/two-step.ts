import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type {
  EnableResponse,
  RecoveryCodesResponse,
  TotpUriResponse,
  TrustedDevices,
  TwoStepStatus as TwoStepStatusOnWire,
} from '../../../server/features/account/two-step/schemas.ts'
import { request } from './request.ts'

export type TwoStepStatus = Static<typeof TwoStepStatusOnWire>
export type TrustedDevice = Static<typeof TrustedDevices>[number]
/** Where the codes of the user come from: an authenticator app, or emails. */
export type TwoStepMethod = 'totp' | 'otp'
export type CodeKind = TwoStepMethod | 'recovery'
/** Undefined for a user without a password. The service then requires a fresh session. */
type Password = string | undefined

const VERIFY: Record<CodeKind, string> = {
  totp: 'verify-totp',
  otp: 'verify-otp',
  recovery: 'verify-backup-code',
}

/** Whether two-step verification is on, and who requires it. */
export const twoStepQuery = queryOptions({
  queryKey: ['two-step verification'],
  queryFn: () => request<TwoStepStatus>('/api/auth/two-factor/get-status'),
})

export const trustedDevicesQuery = queryOptions({
  queryKey: ['trusted devices'],
  queryFn: () => request<TrustedDevice[]>('/api/auth/two-factor/list-trusted-devices'),
})

type CodeToVerify = {
  code: string
  trustDevice: boolean
  /** The time of the setup that the page shows. */
  expectedCreatedAt: string | undefined
}

/** @returns the number of recovery codes left, if the code was one of them */
export async function verifyCode(
  kind: CodeKind,
  { code, trustDevice, expectedCreatedAt }: CodeToVerify,
): Promise<number | undefined> {
  const body = { code, expectedCreatedAt, ...(trustDevice && { trustDevice }) }
  const answer = await request<{ remainingBackupCodes?: number }>(`/api/auth/two-factor/${VERIFY[kind]}`, body)
  return answer.remainingBackupCodes
}

export function sendCode(): Promise<unknown> {
  return request('/api/auth/two-factor/send-otp', {})
}

export function enableTwoStep(method: TwoStepMethod, password: Password): Promise<Static<typeof EnableResponse>> {
  return request('/api/auth/two-factor/enable', { method, ...withPassword(password) })
}

export function disableTwoStep(password: Password): Promise<unknown> {
  return request('/api/auth/two-factor/disable', withPassword(password))
}

export function getTotpUri(password: Password): Promise<Static<typeof TotpUriResponse>> {
  return request('/api/auth/two-factor/get-totp-uri', withPassword(password))
}

export function createRecoveryCodes(password: Password): Promise<Static<typeof RecoveryCodesResponse>> {
  return request('/api/auth/two-factor/generate-backup-codes', withPassword(password))
}

export function revokeTrustedDevice(id: string): Promise<unknown> {
  return request('/api/auth/two-factor/revoke-trusted-device', { id })
}

function withPassword(password: Password): { password?: string } {
  return password === undefined ? {} : { password }
}
