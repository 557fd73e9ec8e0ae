import { bearerClient } from './bearer-client.ts'
import type { Answer } from './client.ts'
import type { RaceScene, SceneUser } from './race-scene.ts'
import { randomLetters } from './random-letters.ts'
import type { Service } from './service.ts'
import { PASSWORD } from './users.ts'

type Request = (scene: RaceScene, at: Service) => Promise<Answer>

const NEW_PASSWORD = 'another fine long password'

const by =
  (userOf: (scene: RaceScene) => SceneUser) =>
  (path: string, body: (scene: RaceScene) => object = () => ({})): Request =>
  (scene, at) =>
    bearerClient(at, userOf(scene)).post(`/api/auth/${path}`, body(scene))
const boss = by((scene) => scene.boss)
const vice = by((scene) => scene.vice)
const pat = by((scene) => scene.pat)
const kim = by((scene) => scene.kim)
const anonymous =
  (path: string, body: (scene: RaceScene) => object): Request =>
  (scene, at) =>
    at.client().post(`/api/auth/${path}`, body(scene))

const codeOf = ({ app }: RaceScene, { context }: Service) => ({ code: app.codeAt(context.now()) })
const challenge = ({ twoFactorToken }: RaceScene) => ({ twoFactorToken })
const ofPat = (scene: RaceScene) => ({ userId: scene.pat.id })
const ofClient = ({ clientId }: RaceScene) => ({ client_id: clientId })
const AUTHORIZATION = new URLSearchParams({
  response_type: 'code',
  redirect_uri: 'https://grafana.example.com/login/generic_oauth',
  scope: 'openid email',
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
})
const MACHINE = { grant_types: ['client_credentials'] }
const shared = (scene: RaceScene) => ({ organizationId: scene.shared })

/** Requests that lock rows of the same users and organizations, by their names in reports. */
export const REQUESTS: Record<string, Request> = {
  'staff remove Pat': boss('admin/remove-user', ofPat),
  'other staff remove Pat': vice('admin/remove-user', ofPat),
  'staff remove Kim': vice('admin/remove-user', (scene) => ({ userId: scene.kim.id })),
  'staff remove staff': boss('admin/remove-user', (scene) => ({ userId: scene.vice.id })),
  'Pat deletes the account': pat('delete-user', () => ({ password: PASSWORD })),
  'Pat deletes the account by link': (scene, at) =>
    at.client().get(`/api/auth/delete-user/callback?token=${scene.links['delete user']}`),
  'staff delete their account': vice('delete-user', () => ({ password: PASSWORD })),
  'Kim deletes the account': kim('delete-user', () => ({ password: PASSWORD })),
  'Pat requests a deletion email': pat('delete-user'),
  'staff ban Pat': boss('admin/ban-user', ofPat),
  'staff unban Pat': vice('admin/unban-user', ofPat),
  'Pat becomes staff': boss('admin/set-role', (scene) => ({ ...ofPat(scene), role: 'support' })),
  'staff lose their role': vice('admin/set-role', (scene) => ({ userId: scene.boss.id, role: 'user' })),
  'staff impersonate Pat': boss('admin/impersonate-user', ofPat),
  'staff stop impersonating Pat': (scene, at) =>
    bearerClient(at, { token: scene.impersonations[0] ?? '' }).post('/api/auth/admin/stop-impersonating'),
  'staff set the active organization as Pat': (scene, at) =>
    bearerClient(at, { token: scene.impersonations[1] ?? '' }).post('/api/auth/organization/set-active', shared(scene)),
  'staff sign out': boss('sign-out'),
  'staff revoke their sessions': boss('revoke-sessions'),
  'staff revoke the sessions of Pat': vice('admin/revoke-user-sessions', ofPat),
  'staff set the password of Pat': boss('admin/set-user-password', (scene) => ({
    ...ofPat(scene),
    newPassword: PASSWORD,
  })),
  'staff set the email address of Pat': vice('admin/update-user', (scene) => ({
    ...ofPat(scene),
    data: { email: `set-${scene.pat.email}` },
  })),
  'staff list users': (scene, at) => bearerClient(at, scene.boss).get('/api/auth/admin/list-users?limit=5'),
  'Pat signs in': (scene, at) => {
    const client = at.client()
    client.cookies.set('session', scene.pat.otherToken)
    return client.post('/api/auth/sign-in/email', { email: scene.pat.email, password: PASSWORD })
  },
  'Pat verifies the password': pat('verify-password', () => ({ password: PASSWORD })),
  'Pat begins two-step verification': pat('two-factor/enable', () => ({ password: PASSWORD })),
  'Kim finishes a sign-in with a code': (scene, at) =>
    at
      .client()
      .post('/api/auth/two-factor/verify-totp', { ...codeOf(scene, at), trustDevice: true, ...challenge(scene) }),
  'Kim finishes a sign-in with a recovery code': anonymous('two-factor/verify-backup-code', (scene) => ({
    code: scene.app.backupCodes[0],
    ...challenge(scene),
  })),
  'Kim verifies a code in the session': (scene, at) =>
    bearerClient(at, scene.kim).post('/api/auth/two-factor/verify-totp', codeOf(scene, at)),
  'Kim turns off two-step verification': kim('two-factor/disable', () => ({ password: PASSWORD })),
  'staff reset the two-step verification of Kim': vice('admin/reset-two-factor', (scene) => ({
    userId: scene.kim.id,
    reason: 'Lost the phone',
  })),
  'Pat signs out': pat('sign-out'),
  'Pat revokes all sessions': pat('revoke-sessions'),
  'Pat revokes all other sessions': pat('revoke-other-sessions'),
  'Pat changes the password': pat('change-password', () => ({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD })),
  'Pat resets the password': anonymous('reset-password', (scene) => ({
    newPassword: NEW_PASSWORD,
    token: scene.links['reset password'],
  })),
  'Pat requests a password reset': anonymous('request-password-reset', (scene) => ({ email: scene.pat.email })),
  'Pat requests a verification email': anonymous('send-verification-email', (scene) => ({ email: scene.pat.email })),
  'Pat requests a new email address': pat('change-email', (scene) => ({ newEmail: `next-${scene.pat.email}` })),
  'Pat verifies the new email address': (scene, at) =>
    at.client().get(`/api/auth/verify-email?token=${scene.links['change email']}`),
  'Pat verifies the email address': (scene, at) =>
    at.client().get(`/api/auth/verify-email?token=${scene.links['verify email']}`),
  'Pat undoes the email change': (scene, at) =>
    at.client().post('/api/undo-change-email', { token: scene.links['undo email change'] }),
  'Pat requests passkey registration options': (scene, at) =>
    bearerClient(at, scene.pat).get('/api/auth/passkey/generate-register-options'),
  'Pat requests passkey authentication options': (scene, at) =>
    bearerClient(at, scene.pat).get('/api/auth/passkey/generate-authenticate-options'),
  'Pat updates the name': pat('update-user', () => ({ name: randomLetters() })),
  'Pat creates an organization': pat('organization/create', () => ({ name: 'New', slug: randomLetters() })),
  'Pat accepts the invitation': pat('organization/accept-invitation', (scene) => ({
    invitationId: scene.invitation.id,
  })),
  'Pat rejects the invitation': pat('organization/reject-invitation', (scene) => ({
    invitationId: scene.invitation.id,
  })),
  'Pat leaves the shared organization': pat('organization/leave', shared),
  'Pat sets the active organization': pat('organization/set-active', shared),
  'Pat updates the session': pat('update-session', (scene) => ({ activeOrganizationId: scene.shared })),
  'Pat creates an API key': pat('api-key/create', (scene) => ({ ...shared(scene), name: 'key' })),
  'Pat creates an OAuth client': pat('oauth2/create-client', (scene) => ({ ...shared(scene), ...MACHINE })),
  'Pat replaces the secret of the OAuth client': pat('oauth2/client/rotate-secret', ofClient),
  'Kim changes the OAuth client': kim('oauth2/update-client', (scene) => ({
    ...ofClient(scene),
    update: { client_name: randomLetters() },
  })),
  'Kim deletes the OAuth client': kim('oauth2/delete-client', ofClient),
  'Pat signs in to the app': (scene, at) => {
    const client = at.client()
    client.cookies.set('session', scene.pat.token)
    return client.get(`/api/auth/oauth2/authorize?client_id=${scene.clientId}&${AUTHORIZATION}`)
  },
  'staff delete an OAuth client': boss('oauth2/delete-client', (scene) => ({ client_id: scene.serviceClientId })),
  'staff create an OAuth client': boss('oauth2/create-client', () => ({ ...MACHINE, ownedBy: 'service' })),
  'Pat revokes the app': pat('oauth2/revoke-app', (scene) => ({ clientId: scene.clientId })),
  'Pat deletes the shared organization': pat('organization/delete', shared),
  'Kim deletes the shared organization': kim('organization/delete', shared),
  'Kim deletes the third organization': kim('organization/delete', (scene) => ({ organizationId: scene.third })),
  'Kim removes Pat': kim('organization/remove-member', (scene) => ({
    ...shared(scene),
    memberIdOrEmail: scene.patMemberId,
  })),
  'Kim changes the role of Pat': kim('organization/update-member-role', (scene) => ({
    ...shared(scene),
    memberId: scene.patMemberId,
    role: 'member',
  })),
  'Kim invites a user': kim('organization/invite-member', (scene) => ({
    ...shared(scene),
    role: 'member',
    email: `${randomLetters()}@example.com`,
  })),
  'Kim cancels an invitation': kim('organization/cancel-invitation', (scene) => ({ invitationId: scene.invited.id })),
  'Kim renames the shared organization': kim('organization/update', (scene) => ({
    ...shared(scene),
    data: { name: randomLetters(), slug: randomLetters() },
  })),
  'the invited user opens the link': (scene, at) => at.client().get(`/invite/${scene.invited.reference}`),
  'the invited user signs up': anonymous('sign-up/email', ({ invited }) => ({
    name: 'New',
    email: invited.email,
    password: PASSWORD,
    invitation: invited.reference,
  })),
}
