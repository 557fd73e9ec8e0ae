import assert from 'node:assert/strict'
import { linkNewEvents } from '../../server/core/audit/chain.ts'
import { verifyChain } from '../../server/core/audit/verify-chain.ts'
import { createTestApp, signInTo } from './openid.ts'
import { addPasskey, tryToSignIn } from './passkeys.ts'
import type { Service } from './service.ts'
import { refresh } from './token-requests.ts'
import { enableTotp, firstStep } from './two-step.ts'
import { administrator, administratorWithOrganization, invite, member, signUp } from './users.ts'

const REFUSED = 'refused'

export type Population = Awaited<ReturnType<typeof populate>>

/** An installation with sessions, a passkey, an authenticator app, an API key, invitations and tokens of an app. */
export async function populate(service: Service) {
  const boss = await administratorWithOrganization(service)
  const passkeyUser = await addPasskey(service, await member(service, boss))
  const totpUser = await member(service, boss)
  const totp = await enableTotp(service, totpUser)
  const key = { name: 'Payroll', organizationId: boss.organization.id }
  const created = await boss.client.post('/api/auth/api-key/create', key)
  assert.equal(created.status, 200, JSON.stringify(created.body))
  const app = await createTestApp(service)
  const { refresh_token: refreshToken = '' } = await signInTo(boss, app)
  const impersonator = await administrator(service)
  const ofUser = { userId: passkeyUser.id }
  const impersonation = await impersonator.client.post('/api/auth/admin/impersonate-user', ofUser)
  assert.equal(impersonation.status, 200, JSON.stringify(impersonation.body))
  const invitations = [await invite(service, boss), await invite(service, boss)]
  const apiKey = created.body.key as string
  return { boss, passkeyUser, totpUser, totp, app, impersonator, invitations, apiKey, refreshToken }
}

/** Tries every credential, and uses one invitation up. @returns what works, by name */
export async function tryCredentials(service: Service, population: Population): Promise<Record<string, unknown>> {
  const { boss, passkeyUser, totpUser, totp, app, impersonator } = population
  const slug = boss.organization.slug
  const emailOf = async ({ client }: Pick<typeof boss, 'client'>) =>
    (await client.get('/api/auth/get-session')).body?.user.email ?? REFUSED
  const withPasskey = await tryToSignIn(service.client(), passkeyUser.authenticator)
  const withApiKey = await service
    .client()
    .get(`/api/token?org=${slug}`, { headers: { 'x-api-key': population.apiKey } })
  const { body: first } = await firstStep(service.client(), totpUser.email)
  const second = await service.client().post('/api/auth/two-factor/verify-totp', {
    code: totp.codeAt(service.context.now()),
    twoFactorToken: first.twoFactorToken,
  })
  const refreshed = await refresh(service, app, population.refreshToken)
  population.refreshToken = refreshed.body.refresh_token ?? population.refreshToken
  const invited = population.invitations.pop()
  assert.ok(invited)
  const opened = await service.client().get(invited.linkPath)
  return {
    session: await emailOf(boss),
    impersonated: await emailOf(impersonator),
    passkey: withPasskey.body.user?.email ?? withPasskey.body.code,
    apiKey: withApiKey.status === 200 ? 200 : withApiKey.body.code,
    totp: second.body.user?.email ?? second.body.code,
    refreshToken: refreshed.status === 200 ? 200 : refreshed.body.error,
    invitation: await signUp(service, invited).then(
      () => 200,
      () => opened.status,
    ),
  }
}

export async function assertAuditLogWhole({ context }: Pick<Service, 'context'>): Promise<void> {
  await linkNewEvents(context)
  const { problem } = await verifyChain(context, undefined, () => {})
  assert.equal(problem, undefined)
}
