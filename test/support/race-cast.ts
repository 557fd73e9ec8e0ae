import { randomBytes } from 'node:crypto'
import type { ServiceRole } from '../../server/core/access/staff-permissions.ts'
import { OPERATOR } from '../../server/core/audit/actor.ts'
import { recordEvent } from '../../server/core/audit/record-event.ts'
import { setPasswordHash } from '../../server/core/credentials/password-store.ts'
import { createUnit } from '../../server/core/in-transaction.ts'
import { addMember } from '../../server/core/memberships/add-member.ts'
import { findCaller } from '../../server/core/sessions/find-caller.ts'
import { startImpersonatedSession } from '../../server/core/sessions/impersonated-session.ts'
import { startSession } from '../../server/core/sessions/start-session.ts'
import { createToken } from '../../server/core/single-use-tokens/single-use-tokens.ts'
import { createUser } from '../../server/core/users/create-user.ts'
import { hashToken, newId, newToken } from '../../server/platform/crypto/tokens.ts'
import type { Service } from './service.ts'

export interface Figure {
  id: string
  email: string
  token: string
  otherToken: string
}

/** People and organizations who have to do with each other in every way that there is. */
export interface Cast {
  /** Administrators. */
  boss: Figure
  vice: Figure
  /** Sessions in which `boss` acts as Pat. */
  acting: string[]
  /** Owns `shared` together with Kim, and `own` alone; is invited to `third`. */
  pat: Figure
  /** Owns `third` alone. */
  kim: Figure
  shared: string
  own: string
  third: string
  /** In `shared`. */
  patMemberId: string
  kimMemberId: string
  /** Pat's, to `third`. */
  invitation: Invitation
  /** A newcomer's, to `shared`. */
  newcomer: Invitation
  /** Pat's. */
  links: Record<Link, string>
}

export interface Invitation {
  email: string
  id: string
  /** As in the letter's link. */
  reference: string
}

const LINKS = ['reset password', 'verify email', 'change email', 'undo email change', 'delete user'] as const
type Link = (typeof LINKS)[number]
/** Pat's session with `token` asked for these. */
const SESSION_BOUND: Link[] = ['change email', 'delete user']

/**
 * Written into the database: signing everybody up would take too long.
 * @param passwordHash everybody's
 * @param order of the administrators, Pat and Kim, and so of their ids: whoever comes first is locked first
 */
export async function newCast({ context }: Service, passwordHash: string, order: string[]): Promise<Cast> {
  const { database } = context
  const suffix = randomBytes(6).toString('hex')
  const figures = new Map<string, Figure>()
  for (const name of order) {
    const role = name === 'boss' || name === 'vice' ? 'admin' : 'user'
    figures.set(name, await newFigure(context, { name, email: `${name}-${suffix}@example.com`, role, passwordHash }))
  }
  const [boss, vice, pat, kim] = ['boss', 'vice', 'pat', 'kim'].map((name) => figures.get(name)) as [
    Figure,
    Figure,
    Figure,
    Figure,
  ]
  const own = await newOrganization(context, `own-${suffix}`, [pat])
  const third = await newOrganization(context, `third-${suffix}`, [kim])
  const shared = await newOrganization(context, `shared-${suffix}`, [pat, kim])
  const acting = [await newActing(context, boss, pat), await newActing(context, boss, pat)]
  const links = {} as Record<Link, string>
  const sessionId = (await findCaller(context, pat.token))?.session.id ?? ''
  for (const link of LINKS) {
    const data = { email: pat.email, oldEmail: link === 'change email' ? pat.email : `old-${pat.email}` }
    links[link] = await createToken(database, context, link, {
      userId: pat.id,
      ...(SESSION_BOUND.includes(link) && { sessionId }),
      data: { ...data, newEmail: `new-${pat.email}` },
    })
  }
  const [patMemberId = '', kimMemberId = ''] = shared.memberIds
  return {
    ...{ boss, vice, acting, pat, kim, links, patMemberId, kimMemberId },
    ...{ own: own.id, third: third.id, shared: shared.id },
    invitation: await newInvitation(context, third.id, kim.id, pat.email),
    newcomer: await newInvitation(context, shared.id, kim.id, `newcomer-${suffix}@example.com`),
  }
}

type Context = Service['context']
type NewFigure = { name: string; email: string; role: ServiceRole; passwordHash: string }

async function newFigure(context: Context, { passwordHash, ...testUser }: NewFigure): Promise<Figure> {
  const { database } = context
  const unit = createUnit(database, context, OPERATOR)
  const { id, email } = await createUser(unit, { ...testUser, emailVerified: true })
  await setPasswordHash(database, context, id, passwordHash)
  // A ban that is over, which the periodic work ends.
  await database.updateTable('users').set({ banned: 1, banExpires: 1 }).where('id', '=', id).execute()
  const device = { hash: undefined, isBrowser: false }
  const start = () => startSession(unit, { userId: id, rememberMe: true, device })
  return { id, email, token: (await start()).token, otherToken: (await start()).token }
}

async function newActing(context: Context, staff: Figure, user: Figure): Promise<string> {
  const caller = await findCaller(context, staff.token)
  if (!caller) throw new Error('Staff have a session')
  const { token, session } = await startImpersonatedSession(
    createUnit(context.database, context, OPERATOR),
    caller,
    user.id,
  )
  await recordEvent(context.database, context, OPERATOR, {
    action: 'impersonation.started',
    details: { sessionId: session.id },
  })
  return token
}

/** The active one of every session of its owners. */
async function newOrganization(context: Context, slug: string, owners: Figure[]) {
  const { database } = context
  const id = newId('org', context)
  const row = { id, name: slug, slug, logo: null, metadata: null, createdAt: context.now() }
  await database.insertInto('organizations').values(row).execute()
  const memberIds: string[] = []
  for (const { id: userId } of owners) {
    memberIds.push((await addMember(database, context, { organizationId: id, userId, role: 'owner' })).id)
    await database.updateTable('sessions').set({ activeOrganizationId: id }).where('userId', '=', userId).execute()
  }
  return { id, memberIds }
}

async function newInvitation(
  context: Context,
  organizationId: string,
  inviterId: string,
  email: string,
): Promise<Invitation> {
  const id = newId('inv', context)
  const secret = newToken(context)
  const createdAt = context.now()
  const row = { id, organizationId, email, role: 'member', inviterId, status: 'pending', createdAt }
  const guarded = { secretHash: hashToken(secret), expiresAt: createdAt + 3_600_000 }
  await context.database
    .insertInto('invitations')
    .values({ ...row, ...guarded })
    .execute()
  return { email, id, reference: `${id}.${secret}` }
}
