import { randomBytes } from 'node:crypto'
import { asking } from './beside.ts'
import type { Answer } from './client.ts'
import type { Cast, Figure } from './race-cast.ts'
import type { Service } from './service.ts'
import { PASSWORD } from './users.ts'

type ConcurrentStep = (cast: Cast, at: Service) => Promise<Answer>

const NEW_PASSWORD = 'another fine long password'

const by =
  (who: (cast: Cast) => Figure) =>
  (path: string, body: (cast: Cast) => object = () => ({})): ConcurrentStep =>
  (cast, at) =>
    asking(at, who(cast)).post(`/api/auth/${path}`, body(cast))
const boss = by((cast) => cast.boss)
const vice = by((cast) => cast.vice)
const pat = by((cast) => cast.pat)
const kim = by((cast) => cast.kim)
const anonymous =
  (path: string, body: (cast: Cast) => object): ConcurrentStep =>
  (cast, at) =>
    at.client().post(`/api/auth/${path}`, body(cast))

const ofPat = (cast: Cast) => ({ userId: cast.pat.id })
const shared = (cast: Cast) => ({ organizationId: cast.shared })
const another = () => `x${randomBytes(6).toString('hex')}`
/** Without digits: a row of them is refused like a telephone number. */
const anotherName = () => another().replace(/\d/g, 'x')

/** What people do to each other, by what it is called in a report. */
export const DEEDS: Record<string, ConcurrentStep> = {
  'staff remove Pat': boss('admin/remove-user', ofPat),
  'other staff remove Pat': vice('admin/remove-user', ofPat),
  'staff remove Kim': vice('admin/remove-user', (cast) => ({ userId: cast.kim.id })),
  'staff remove staff': boss('admin/remove-user', (cast) => ({ userId: cast.vice.id })),
  'Pat deletes the account': pat('delete-user', () => ({ password: PASSWORD })),
  'Pat deletes the account by link': (cast, at) =>
    at.client().get(`/api/auth/delete-user/callback?token=${cast.links['delete user']}`),
  'staff delete their account': vice('delete-user', () => ({ password: PASSWORD })),
  'Kim deletes the account': kim('delete-user', () => ({ password: PASSWORD })),
  'Pat asks to be deleted': pat('delete-user'),
  'staff ban Pat': boss('admin/ban-user', ofPat),
  'staff unban Pat': vice('admin/unban-user', ofPat),
  'Pat becomes staff': boss('admin/set-role', (cast) => ({ ...ofPat(cast), role: 'support' })),
  'staff become nobody': vice('admin/set-role', (cast) => ({ userId: cast.boss.id, role: 'user' })),
  'staff act as Pat': boss('admin/impersonate-user', ofPat),
  'staff stop acting as Pat': (cast, at) =>
    asking(at, { token: cast.acting[0] ?? '' }).post('/api/auth/admin/stop-impersonating'),
  'staff choose as Pat': (cast, at) =>
    asking(at, { token: cast.acting[1] ?? '' }).post('/api/auth/organization/set-active', shared(cast)),
  'staff sign out': boss('sign-out'),
  'staff end all their sessions': boss('revoke-sessions'),
  'staff end sessions of Pat': vice('admin/revoke-user-sessions', ofPat),
  'staff set the password of Pat': boss('admin/set-user-password', (cast) => ({
    ...ofPat(cast),
    newPassword: PASSWORD,
  })),
  'staff set the address of Pat': vice('admin/update-user', (cast) => ({
    ...ofPat(cast),
    data: { email: `set-${cast.pat.email}` },
  })),
  'staff list everybody': (cast, at) => asking(at, cast.boss).get('/api/auth/admin/list-users?limit=5'),
  'Pat signs in': (cast, at) => {
    const client = at.client()
    client.cookies.set('session', cast.pat.otherToken)
    return client.post('/api/auth/sign-in/email', { email: cast.pat.email, password: PASSWORD })
  },
  'Pat confirms by password': pat('verify-password', () => ({ password: PASSWORD })),
  'Pat signs out': pat('sign-out'),
  'Pat ends all sessions': pat('revoke-sessions'),
  'Pat ends all other sessions': pat('revoke-other-sessions'),
  'Pat changes the password': pat('change-password', () => ({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD })),
  'Pat resets the password': anonymous('reset-password', (cast) => ({
    newPassword: NEW_PASSWORD,
    token: cast.links['reset password'],
  })),
  'Pat asks for a reset': anonymous('request-password-reset', (cast) => ({ email: cast.pat.email })),
  'Pat asks for a proof': anonymous('send-verification-email', (cast) => ({ email: cast.pat.email })),
  'Pat wants another address': pat('change-email', (cast) => ({ newEmail: `next-${cast.pat.email}` })),
  'Pat changes the address': (cast, at) =>
    at.client().get(`/api/auth/verify-email?token=${cast.links['change email']}`),
  'Pat proves the address': (cast, at) => at.client().get(`/api/auth/verify-email?token=${cast.links['verify email']}`),
  'Pat undoes a change': (cast, at) =>
    at.client().post('/api/undo-change-email', { token: cast.links['undo email change'] }),
  'Pat begins to add a passkey': (cast, at) => asking(at, cast.pat).get('/api/auth/passkey/generate-register-options'),
  'Pat confirms by passkey': (cast, at) => asking(at, cast.pat).get('/api/auth/passkey/generate-authenticate-options'),
  'Pat is renamed': pat('update-user', () => ({ name: anotherName() })),
  'Pat makes an organization': pat('organization/create', () => ({ name: 'New', slug: another() })),
  'Pat accepts': pat('organization/accept-invitation', (cast) => ({ invitationId: cast.invitation.id })),
  'Pat rejects': pat('organization/reject-invitation', (cast) => ({ invitationId: cast.invitation.id })),
  'Pat leaves': pat('organization/leave', shared),
  'Pat chooses': pat('organization/set-active', shared),
  'Pat keeps on the session': pat('update-session', (cast) => ({ activeOrganizationId: cast.shared })),
  'Pat makes a key': pat('api-key/create', (cast) => ({ ...shared(cast), name: 'key' })),
  'Pat deletes the shared one': pat('organization/delete', shared),
  'Kim deletes the shared one': kim('organization/delete', shared),
  'Kim deletes the third one': kim('organization/delete', (cast) => ({ organizationId: cast.third })),
  'Kim removes Pat': kim('organization/remove-member', (cast) => ({
    ...shared(cast),
    memberIdOrEmail: cast.patMemberId,
  })),
  'Kim makes Pat a member': kim('organization/update-member-role', (cast) => ({
    ...shared(cast),
    memberId: cast.patMemberId,
    role: 'member',
  })),
  'Kim invites': kim('organization/invite-member', (cast) => ({
    ...shared(cast),
    role: 'member',
    email: `${another()}@example.com`,
  })),
  'Kim withdraws': kim('organization/cancel-invitation', (cast) => ({ invitationId: cast.newcomer.id })),
  'Kim renames the shared one': kim('organization/update', (cast) => ({
    ...shared(cast),
    data: { name: anotherName(), slug: another() },
  })),
  'the newcomer opens the link': (cast, at) => at.client().get(`/invite/${cast.newcomer.reference}`),
  'the newcomer signs up': anonymous('sign-up/email', ({ newcomer }) => ({
    name: 'New',
    email: newcomer.email,
    password: PASSWORD,
    invitation: newcomer.reference,
  })),
}
