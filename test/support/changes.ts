import assert from 'node:assert/strict'
import { initiateDeviceAuthorization } from 'openid-client'
import { createAuthenticator } from './authenticator.ts'
import type { Answer, Client } from './client.ts'
import { insertTestConsent } from './oauth-clients.ts'
import { authorizationRequest, createTestApp, locationOf } from './openid.ts'
import { tryToAdd, tryToSignIn, userWithPasskey } from './passkeys.ts'
import { randomLetters } from './random-letters.ts'
import { type Service, startService } from './service.ts'
import { userWithRole } from './staff.ts'
import { enableEmailCodes, enableTotp, userWithTotp } from './two-step.ts'
import {
  administrator,
  administratorWithOrganization,
  invite,
  member,
  newEmail,
  newMember,
  newUser,
  PASSWORD,
  signedIn,
  signUp,
  tokenIn,
} from './users.ts'

const AUTH = '/api/auth'
const ORGANIZATION = `${AUTH}/organization`
const OAUTH2 = `${AUTH}/oauth2`
const NEW_PASSWORD = 'another fine long password'

/** A successful call of every POST route that changes something. */
export const CHANGES: Record<string, (service: Service) => Promise<Answer>> = {
  [`${AUTH}/sign-out`]: async (service) => (await newMember(service)).client.post(`${AUTH}/sign-out`),
  [`${AUTH}/revoke-session`]: async (service) => {
    const { client, email } = await newMember(service)
    const other = await signedIn(service, email)
    return client.post(`${AUTH}/revoke-session`, { token: other.token })
  },
  [`${AUTH}/revoke-sessions`]: async (service) => (await newMember(service)).client.post(`${AUTH}/revoke-sessions`),
  [`${AUTH}/revoke-other-sessions`]: async (service) => {
    const { client, email } = await newMember(service)
    await signedIn(service, email)
    return client.post(`${AUTH}/revoke-other-sessions`)
  },
  [`${AUTH}/update-session`]: async (service) =>
    (await newMember(service)).client.post(`${AUTH}/update-session`, { theme: 'dark' }),
  [`${AUTH}/sign-in/email`]: async (service) => {
    const { email } = await newMember(service)
    return service.client().post(`${AUTH}/sign-in/email`, { email, password: PASSWORD })
  },
  [`${AUTH}/sign-up/email`]: async (service) => {
    const { linkPath, email } = await invite(service, await administratorWithOrganization(service))
    const client = service.client()
    await client.get(linkPath)
    return client.post(`${AUTH}/sign-up/email`, { name: 'Hilda Hire', email, password: PASSWORD })
  },
  [`${AUTH}/change-password`]: async (service) =>
    (await newMember(service)).client.post(`${AUTH}/change-password`, {
      currentPassword: PASSWORD,
      newPassword: NEW_PASSWORD,
    }),
  [`${AUTH}/verify-password`]: async (service) =>
    (await newMember(service)).client.post(`${AUTH}/verify-password`, { password: PASSWORD }),
  [`${AUTH}/request-password-reset`]: async (service) =>
    service.client().post(`${AUTH}/request-password-reset`, { email: (await newMember(service)).email }),
  [`${AUTH}/reset-password`]: async (service) => {
    const { email } = await newMember(service)
    await service.client().post(`${AUTH}/request-password-reset`, { email })
    const token = await tokenIn(service, email)
    return service.client().post(`${AUTH}/reset-password`, { token, newPassword: NEW_PASSWORD })
  },
  [`${AUTH}/send-verification-email`]: async (service) =>
    service.client().post(`${AUTH}/send-verification-email`, { email: (await newMember(service)).email }),
  [`${AUTH}/change-email`]: async (service) =>
    (await newMember(service)).client.post(`${AUTH}/change-email`, { newEmail: newEmail() }),
  '/api/undo-change-email': async (service) => {
    const { client, email } = await newMember(service)
    const address = newEmail()
    await client.post(`${AUTH}/change-email`, { newEmail: address })
    await client.get(`${AUTH}/verify-email?token=${await tokenIn(service, address)}`)
    return service.client().post('/api/undo-change-email', { token: await tokenIn(service, email) })
  },
  [`${AUTH}/update-user`]: async (service) =>
    (await newMember(service)).client.post(`${AUTH}/update-user`, { name: 'Another Name' }),
  [`${AUTH}/delete-user`]: async (service) =>
    (await newMember(service)).client.post(`${AUTH}/delete-user`, { password: PASSWORD }),
  [`${AUTH}/passkey/verify-registration`]: async (service) =>
    tryToAdd((await newMember(service)).client, createAuthenticator(service.baseUrl)),
  [`${AUTH}/passkey/verify-authentication`]: async (service) =>
    tryToSignIn(service.client(), (await userWithPasskey(service)).authenticator),
  [`${AUTH}/passkey/update-passkey`]: async (service) => {
    const { client, passkeyId } = await userWithPasskey(service)
    return client.post(`${AUTH}/passkey/update-passkey`, { id: passkeyId, name: 'Kitchen laptop' })
  },
  [`${AUTH}/passkey/delete-passkey`]: async (service) => {
    const { client, passkeyId } = await userWithPasskey(service)
    return client.post(`${AUTH}/passkey/delete-passkey`, { id: passkeyId })
  },
  [`${ORGANIZATION}/create`]: async (service) =>
    (await administrator(service)).client.post(`${ORGANIZATION}/create`, { name: 'Works', slug: newSlug() }),
  [`${ORGANIZATION}/set-active`]: async (service) => {
    const { client, organization } = await administratorWithOrganization(service)
    return client.post(`${ORGANIZATION}/set-active`, { organizationId: organization.id })
  },
  [`${ORGANIZATION}/update`]: async (service) => {
    const { client, organization } = await administratorWithOrganization(service)
    return client.post(`${ORGANIZATION}/update`, { organizationId: organization.id, data: { name: 'Other Works' } })
  },
  [`${ORGANIZATION}/delete`]: async (service) => {
    const { client, organization } = await administratorWithOrganization(service)
    return client.post(`${ORGANIZATION}/delete`, { organizationId: organization.id })
  },
  [`${ORGANIZATION}/leave`]: async (service) => {
    const { client, organization } = await newMember(service)
    return client.post(`${ORGANIZATION}/leave`, { organizationId: organization.id })
  },
  [`${ORGANIZATION}/remove-member`]: (service) =>
    onMember(service, `${ORGANIZATION}/remove-member`, ({ email }) => ({ memberIdOrEmail: email })),
  [`${ORGANIZATION}/update-member-role`]: (service) =>
    onMember(service, `${ORGANIZATION}/update-member-role`, ({ memberId }) => ({ memberId, role: 'admin' })),
  [`${ORGANIZATION}/invite-member`]: async (service) =>
    (await administratorWithOrganization(service)).client.post(`${ORGANIZATION}/invite-member`, {
      email: newEmail(),
      role: 'member',
    }),
  [`${ORGANIZATION}/invite-members`]: async (service) =>
    (await administratorWithOrganization(service)).client.post(`${ORGANIZATION}/invite-members`, {
      emails: [newEmail()],
      role: 'member',
    }),
  [`${ORGANIZATION}/transfer-ownership`]: (service) =>
    onMember(service, `${ORGANIZATION}/transfer-ownership`, ({ memberId }) => ({ memberId })),
  [`${ORGANIZATION}/cancel-invitation`]: async (service) => {
    const founder = await administratorWithOrganization(service)
    const { invitationId } = await invite(service, founder)
    return founder.client.post(`${ORGANIZATION}/cancel-invitation`, { invitationId })
  },
  [`${ORGANIZATION}/accept-invitation`]: (service) => answerInvitation(service, 'accept'),
  [`${ORGANIZATION}/reject-invitation`]: (service) => answerInvitation(service, 'reject'),
  [`${AUTH}/api-key/create`]: async (service) => (await withKey(service)).created,
  [`${AUTH}/api-key/rotate`]: async (service) => {
    const { client, keyId } = await withKey(service)
    return client.post(`${AUTH}/api-key/rotate`, { keyId })
  },
  [`${AUTH}/api-key/update`]: async (service) => {
    const { client, keyId } = await withKey(service)
    return client.post(`${AUTH}/api-key/update`, { keyId, name: 'other' })
  },
  [`${AUTH}/api-key/delete`]: async (service) => {
    const { client, keyId } = await withKey(service)
    return client.post(`${AUTH}/api-key/delete`, { keyId })
  },
  [`${OAUTH2}/create-client`]: async (service) => (await withClient(service)).created,
  [`${OAUTH2}/update-client`]: async (service) => {
    const { client, clientId } = await withClient(service)
    return client.post(`${OAUTH2}/update-client`, { client_id: clientId, update: { disabled: true } })
  },
  [`${OAUTH2}/client/rotate-secret`]: async (service) => {
    const { client, clientId } = await withClient(service)
    return client.post(`${OAUTH2}/client/rotate-secret`, { client_id: clientId })
  },
  [`${OAUTH2}/delete-client`]: async (service) => {
    const { client, clientId } = await withClient(service)
    return client.post(`${OAUTH2}/delete-client`, { client_id: clientId })
  },
  [`${OAUTH2}/delete-consent`]: async (service) => {
    const { client, id } = await administrator(service)
    const { consent } = await insertTestConsent(service, id)
    return client.post(`${OAUTH2}/delete-consent`, { id: consent.id })
  },
  [`${OAUTH2}/revoke-app`]: async (service) => {
    const { client, id } = await administrator(service)
    const { consent } = await insertTestConsent(service, id)
    return client.post(`${OAUTH2}/revoke-app`, { clientId: consent.clientId })
  },
  [`${OAUTH2}/register`]: async (service) => {
    service.config.allowClientRegistration = true
    const answer = await service.client().post(`${OAUTH2}/register`, { redirect_uris: ['https://app.example.com/'] })
    service.config.allowClientRegistration = false
    return answer
  },
  [`${AUTH}/admin/create-user`]: async (service) =>
    (await administrator(service)).client.post(`${AUTH}/admin/create-user`, { email: newEmail(), name: 'Paula' }),
  [`${AUTH}/admin/create-organization`]: (service) => createdForOwner(service),
  [`${AUTH}/admin/invite-owner`]: async (service) => {
    const { client } = await administrator(service)
    const organizationId = (await createdForOwner(service)).body.organization.id
    return client.post(`${AUTH}/admin/invite-owner`, { organizationId, ownerEmail: newEmail() })
  },
  [`${AUTH}/admin/update-user`]: (service) => onUser(service, 'update-user', { data: { name: 'Other' } }),
  [`${AUTH}/admin/set-user-password`]: (service) => onUser(service, 'set-user-password', { newPassword: NEW_PASSWORD }),
  [`${AUTH}/admin/remove-user`]: (service) => onUser(service, 'remove-user'),
  [`${AUTH}/admin/set-role`]: (service) => onUser(service, 'set-role', { role: 'support' }),
  [`${AUTH}/admin/ban-user`]: (service) => onUser(service, 'ban-user'),
  [`${AUTH}/admin/unban-user`]: async (service) => {
    const admin = await administrator(service)
    const userId = await newUser(service)
    await admin.client.post(`${AUTH}/admin/ban-user`, { userId })
    return admin.client.post(`${AUTH}/admin/unban-user`, { userId })
  },
  [`${AUTH}/admin/revoke-user-session`]: async (service) => {
    const admin = await administrator(service)
    const { token } = await userWithRole(service, admin)
    return admin.client.post(`${AUTH}/admin/revoke-user-session`, { sessionToken: token })
  },
  [`${AUTH}/admin/revoke-user-sessions`]: async (service) => {
    const admin = await administrator(service)
    const { id: userId } = await userWithRole(service, admin)
    return admin.client.post(`${AUTH}/admin/revoke-user-sessions`, { userId })
  },
  [`${AUTH}/admin/impersonate-user`]: (service) => onUser(service, 'impersonate-user'),
  [`${AUTH}/admin/stop-impersonating`]: async (service) => {
    const admin = await administrator(service)
    const userId = await newUser(service)
    await admin.client.post(`${AUTH}/admin/impersonate-user`, { userId })
    return admin.client.post(`${AUTH}/admin/stop-impersonating`)
  },
  [`${AUTH}/admin/send-password-link`]: (service) => onUser(service, 'send-password-link'),
  [`${AUTH}/admin/reset-two-factor`]: async (service) => {
    const admin = await administrator(service)
    const userId = await newUser(service)
    await enableTotp(service, { id: userId })
    return admin.client.post(`${AUTH}/admin/reset-two-factor`, { userId, reason: 'Lost the phone' })
  },
  [`${AUTH}/admin/send-test-email`]: async (service) =>
    (await administrator(service)).client.post(`${AUTH}/admin/send-test-email`),
  [`${AUTH}/admin/clear-throttle`]: async (service) => {
    const { client, id } = await administrator(service)
    return client.post(`${AUTH}/admin/clear-throttle`, { key: `change user ${id}` })
  },
  [`${AUTH}/admin/retry-email`]: async (service) => {
    const { client } = await administratorWithOrganization(service)
    const email = newEmail()
    await client.post(`${ORGANIZATION}/invite-member`, { email, role: 'member' })
    const failed = await service.context.database
      .updateTable('outbox')
      .set({ failedAt: service.context.now() })
      .where('recipient', '=', email)
      .returning('id')
      .executeTakeFirstOrThrow()
    return client.post(`${AUTH}/admin/retry-email`, { emailId: failed.id })
  },
  [`${AUTH}/two-factor/enable`]: async (service) =>
    (await newMember(service)).client.post(`${AUTH}/two-factor/enable`, { password: PASSWORD }),
  [`${AUTH}/two-factor/verify-totp`]: async (service) => {
    const { client, app } = await userWithTotp(service)
    const code = app.codeAt(service.context.now())
    return client.post(`${AUTH}/two-factor/verify-totp`, { code, trustDevice: true })
  },
  [`${AUTH}/two-factor/send-otp`]: async (service) => {
    const known = await newMember(service)
    await enableEmailCodes(service, known)
    return known.client.post(`${AUTH}/two-factor/send-otp`)
  },
  [`${AUTH}/two-factor/verify-otp`]: async (service) => {
    const { client, email, id } = await newMember(service)
    await enableEmailCodes(service, { id })
    await client.post(`${AUTH}/two-factor/send-otp`)
    const code = (await service.emails(email))[0]?.text.match(/\b\d{6}\b/)?.[0]
    return client.post(`${AUTH}/two-factor/verify-otp`, { code })
  },
  [`${AUTH}/two-factor/verify-backup-code`]: async (service) => {
    const { client, app } = await userWithTotp(service)
    return client.post(`${AUTH}/two-factor/verify-backup-code`, { code: app.backupCodes[0] })
  },
  [`${AUTH}/two-factor/get-totp-uri`]: async (service) =>
    (await userWithTotp(service)).client.post(`${AUTH}/two-factor/get-totp-uri`, { password: PASSWORD }),
  [`${AUTH}/two-factor/generate-backup-codes`]: async (service) =>
    (await userWithTotp(service)).client.post(`${AUTH}/two-factor/generate-backup-codes`, { password: PASSWORD }),
  [`${AUTH}/two-factor/disable`]: async (service) =>
    (await userWithTotp(service)).client.post(`${AUTH}/two-factor/disable`, { password: PASSWORD }),
  [`${AUTH}/two-factor/revoke-trusted-device`]: async (service) => {
    const { client, app } = await userWithTotp(service)
    const code = app.codeAt(service.context.now())
    await client.post(`${AUTH}/two-factor/verify-totp`, { code, trustDevice: true })
    const [device] = (await client.get(`${AUTH}/two-factor/list-trusted-devices`)).body
    return client.post(`${AUTH}/two-factor/revoke-trusted-device`, { id: device.id })
  },
  [`${AUTH}/oauth2/consent`]: async (service) => {
    const { client } = await newMember(service)
    const app = await createTestApp(service, {}, { skipConsent: 0 })
    const asked = locationOf(await client.get((await authorizationRequest(app)).path))
    return client.post(`${AUTH}/oauth2/consent`, { accept: true, oauth_query: asked.search.slice(1) })
  },
  [`${AUTH}/device/approve`]: async (service) => answerDevice(service, 'approve'),
  [`${AUTH}/device/deny`]: async (service) => answerDevice(service, 'deny'),
  '/api/setup': async ({ engine }) => {
    const fresh = await startService({ engine })
    try {
      const token = await fresh.setupToken()
      const admin = { name: 'Ada Admin', email: 'ada@example.com', password: PASSWORD }
      const answer = await fresh.client().post('/api/setup', { token, ...admin })
      assert.deepEqual(await listEventsOf(fresh, answer), [
        'caller session.started caller - {"sessionId":"ses"}',
        'caller user.created caller - {"role":"admin","origin":"setup","emailVerified":true}',
      ])
      return answer
    } finally {
      await fresh.stop()
    }
  },
}

/**
 * The audit events of a request: actor, action, subject, organization and details. An id stands as its prefix, the id
 * of the actor as `caller`, and what is missing as `-`.
 */
export async function listEventsOf({ context }: Service, { status, headers, body }: Answer): Promise<string[]> {
  assert.ok(status === 200 || status === 201, `${status} ${JSON.stringify(body)}`)
  // Repeated events are counted in memory and saved periodically.
  await context.repeatedEvents.save()
  const events = await context.database
    .selectFrom('auditEvents')
    .selectAll()
    .where('requestId', '=', headers.get('x-request-id'))
    .execute()
  return events
    .map(({ actorId, action, subjectId, organizationId, ipAddress, userAgent, details }) => {
      assert.ok(ipAddress !== null && userAgent !== null, `${action} has no network address or no user agent`)
      const text = [actorId, action, subjectId, organizationId, details].map((part) => part ?? '-').join(' ')
      return (actorId === null ? text : text.replaceAll(actorId, 'caller'))
        .replaceAll(/\b([a-z]{3})_[0-9a-z]{20,}/g, '$1')
        .replaceAll(/"org-[a-z]{12}"/g, 'slug')
        .replaceAll(/\b\d{13}\b/g, 'time')
    })
    .toSorted()
}

const createdForOwner = async (service: Service) => {
  const body = { name: 'Works', slug: newSlug(), ownerEmail: newEmail() }
  return (await administrator(service)).client.post(`${AUTH}/admin/create-organization`, body)
}
const answerDevice = async (service: Service, verb: 'approve' | 'deny') => {
  const { client } = await newMember(service)
  const { config } = await createTestApp(service)
  const { user_code: userCode } = await initiateDeviceAuthorization(config, { scope: 'openid' })
  return client.post(`${AUTH}/device/${verb}`, { userCode })
}
const newSlug = () => `org-${randomLetters()}`

async function onUser(service: Service, action: string, more: object = {}): Promise<Answer> {
  const admin = await administrator(service)
  return admin.client.post(`${AUTH}/admin/${action}`, { userId: await newUser(service), ...more })
}

async function onMember(
  service: Service,
  path: string,
  bodyOf: (target: { email: string; memberId: string }) => object,
): Promise<Answer> {
  const founder = await administratorWithOrganization(service)
  const { email, id, organization } = await member(service, founder)
  const organizationId = organization.id
  const { body } = await founder.client.get(`${ORGANIZATION}/list-members?organizationId=${organizationId}`)
  const found = body.members.find(({ userId }: { userId: string }) => userId === id)
  return founder.client.post(path, { organizationId, ...bodyOf({ email, memberId: found.id }) })
}

async function answerInvitation(service: Service, verb: 'accept' | 'reject'): Promise<Answer> {
  const invited = await invite(service, await administratorWithOrganization(service))
  const { client } = await signUp(service, invited)
  return client.post(`${ORGANIZATION}/${verb}-invitation`, { invitationId: invited.invitationId })
}

async function withKey(service: Service): Promise<{ client: Client; created: Answer; keyId: string }> {
  const { client, organization } = await administratorWithOrganization(service)
  const created = await client.post(`${AUTH}/api-key/create`, { name: 'key', organizationId: organization.id })
  return { client, created, keyId: created.body.id }
}

async function withClient(service: Service): Promise<{ client: Client; created: Answer; clientId: string }> {
  const { client } = await administratorWithOrganization(service)
  const created = await client.post(`${OAUTH2}/create-client`, { grant_types: ['client_credentials'] })
  return { client, created, clientId: created.body.client_id }
}
