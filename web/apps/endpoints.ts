import type { Static } from 'typebox'
import type { DeviceResponse } from '../../server/features/openid/device-flow/schemas.ts'
import type { ChooseOrganizationResponse, ConsentResponse } from '../../server/features/openid/interactions/schemas.ts'
import { request } from '../shared/api/request.ts'

/** A device that shows a code, and waits until a user approves. */
export type WaitingDevice = Static<typeof DeviceResponse>

/** @param organizationId that the page shows */
export async function answerConsent(accept: boolean, organizationId: string | undefined): Promise<string> {
  const body = { accept, ...(organizationId && { organizationId }), ...queryOfPage() }
  const { url } = await request<Static<typeof ConsentResponse>>('/api/auth/oauth2/consent', body)
  return url
}

export async function chooseOrganization(organizationId: string): Promise<string> {
  const body = { organizationId, ...queryOfPage() }
  const { url } = await request<Static<typeof ChooseOrganizationResponse>>('/api/auth/oauth2/choose-organization', body)
  return url
}

export function getDevice(userCode: string): Promise<WaitingDevice> {
  return request(`/api/auth/device?${new URLSearchParams({ user_code: userCode })}`)
}

export function approveDevice(userCode: string, organizationId: string | undefined): Promise<unknown> {
  return request('/api/auth/device/approve', { userCode, ...(organizationId && { organizationId }) })
}

export function denyDevice(userCode: string): Promise<unknown> {
  return request('/api/auth/device/deny', { userCode })
}

/** The wire of the official client: the service finds the interaction in the query of the page. */
function queryOfPage(): { oauth_query: string } {
  return { oauth_query: location.search.slice(1) }
}
