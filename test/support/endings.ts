import { bearerClient } from './bearer-client.ts'
import type { TestApp } from './openid.ts'
import type { Service } from './service.ts'
import {
  administratorWithOrganization,
  member,
  PASSWORD,
  signedIn,
  type TestMember,
  type TestUser,
  tokenIn,
} from './users.ts'

const AUTH = '/api/auth'
const NEW_PASSWORD = 'a perfectly fine new password'

export interface EndScene {
  user: TestMember
  boss: TestMember
  app: TestApp
  /** The process in which the end happens. */
  elsewhere: Service
  as: (user: Pick<TestUser, 'token'>) => ReturnType<typeof bearerClient>
}
export type End = (scene: EndScene) => Promise<{ status: number } | undefined>

/** The causes that end the session of the user. */
export const SESSION_ENDS: Record<string, End> = {
  'sign-out': ({ user, as }) => as(user).post(`${AUTH}/sign-out`),
  'revoke-session': async ({ user, as, elsewhere }) =>
    as(await signedIn(elsewhere, user.email)).post(`${AUTH}/revoke-session`, { token: user.token }),
  'revoke-sessions': ({ user, as }) => as(user).post(`${AUTH}/revoke-sessions`),
  'revoke-other-sessions': async ({ user, as, elsewhere }) =>
    as(await signedIn(elsewhere, user.email)).post(`${AUTH}/revoke-other-sessions`),
  'change-password': async ({ user, as, elsewhere }) =>
    as(await signedIn(elsewhere, user.email)).post(`${AUTH}/change-password`, {
      currentPassword: PASSWORD,
      newPassword: NEW_PASSWORD,
      revokeOtherSessions: true,
    }),
  'reset-password': async ({ user, elsewhere }) => {
    const client = elsewhere.client()
    await client.post(`${AUTH}/request-password-reset`, { email: user.email })
    return client.post(`${AUTH}/reset-password`, {
      token: await tokenIn(elsewhere, user.email),
      newPassword: NEW_PASSWORD,
    })
  },
  'admin/set-user-password': ({ user, boss, as }) =>
    as(boss).post(`${AUTH}/admin/set-user-password`, { userId: user.id, newPassword: NEW_PASSWORD }),
  'admin/ban-user': ({ user, boss, as }) => as(boss).post(`${AUTH}/admin/ban-user`, { userId: user.id }),
  'admin/revoke-user-sessions': ({ user, boss, as }) =>
    as(boss).post(`${AUTH}/admin/revoke-user-sessions`, { userId: user.id }),
  'admin/remove-user': ({ user, boss, as }) => as(boss).post(`${AUTH}/admin/remove-user`, { userId: user.id }),
  'delete-user': ({ user, as }) => as(user).post(`${AUTH}/delete-user`, { password: PASSWORD }),
  'organization/remove-member': ({ user, boss, as }) =>
    as(boss).post(`${AUTH}/organization/remove-member`, {
      memberIdOrEmail: user.email,
      organizationId: boss.organization.id,
    }),
  'organization/leave': ({ user, as }) =>
    as(user).post(`${AUTH}/organization/leave`, { organizationId: user.organization.id }),
  'organization/delete': ({ boss, as }) =>
    as(boss).post(`${AUTH}/organization/delete`, { organizationId: boss.organization.id }),
  'a policy of the organization': async ({ boss, elsewhere }) => {
    const organizations = elsewhere.context.database.updateTable('organizations').set({ requireTwoFactor: 1 })
    await organizations.where('id', '=', boss.organization.id).execute()
    return undefined
  },
  'the expiry of the session': async ({ user, elsewhere: { context } }) => {
    const expired = context.database.updateTable('sessions').set({ expiresAt: context.now() - 1 })
    await expired.where('userId', '=', user.id).execute()
    return undefined
  },
}

/** The causes that end the tokens of one client only. */
export const CLIENT_ENDS: Record<string, End> = {
  'oauth2/revoke-app': ({ user, app, as }) => as(user).post(`${AUTH}/oauth2/revoke-app`, { clientId: app.id }),
  'oauth2/update-client': ({ boss, app, as }) =>
    as(boss).post(`${AUTH}/oauth2/update-client`, { client_id: app.id, update: { disabled: true } }),
  'a disabled client with sessions that are left': async ({ app, elsewhere }) => {
    const clients = elsewhere.context.database.updateTable('oauthClients').set({ disabled: 1 })
    await clients.where('id', '=', app.id).execute()
    return undefined
  },
  'oauth2/delete-client': ({ boss, app, as }) => as(boss).post(`${AUTH}/oauth2/delete-client`, { client_id: app.id }),
  'oauth2/client/rotate-secret': ({ boss, app, as }) =>
    as(boss).post(`${AUTH}/oauth2/client/rotate-secret`, { client_id: app.id }),
}

/** A new user of a new organization. */
export async function newEndScene(service: Service, elsewhere: Service, app: TestApp): Promise<EndScene> {
  const boss = await administratorWithOrganization(service)
  return { boss, user: await member(service, boss), app, elsewhere, as: (user) => bearerClient(elsewhere, user) }
}
