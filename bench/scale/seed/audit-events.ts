import type { AuditAction } from '../../../server/core/audit/actions.ts'
import { chainEndMac, chainHash, eventMac } from '../../../server/core/audit/event-mac.ts'
import type { Context } from '../../../server/core/context.ts'
import type { AuditEventRow } from '../../../server/platform/database/tables.ts'
import { EVENTS_PER_USER, idOf, organizationOf } from '../names.ts'
import type { Seeder } from './engines.ts'

const ROWS_PER_INSERT = 10_000
const SPREAD_MILLISECONDS = 700 * 86_400_000

/** Of each user; the last one is about the organization. */
const ACTIONS: AuditAction[] = ['user.created', 'session.started', 'session.started', 'user.updated', 'member.role-set']

/** Events of all users with a valid chain, so that purging and verifying work. */
export async function seedAuditEvents({ keyring, now }: Context, seeder: Seeder, users: number): Promise<void> {
  const count = users * EVENTS_PER_USER
  const startedAt = now() - SPREAD_MILLISECONDS
  let hash = ''
  for (let first = 1; first <= count; first += ROWS_PER_INSERT) {
    const length = Math.min(ROWS_PER_INSERT, count - first + 1)
    const rows = Array.from({ length }, (_nothing, index) => {
      const sequence = first + index
      const createdAt = Math.round(startedAt + (SPREAD_MILLISECONDS * sequence) / (count + 1))
      const event = newEvent(sequence, createdAt, users)
      const mac = eventMac(keyring, event)
      hash = chainHash(keyring, hash, sequence, mac)
      return { ...event, mac, sequence, hash }
    })
    await seeder.insert('auditEvents', rows)
  }
  const head = { sequence: count, hash }
  await seeder.insert('auditHead', [{ id: 1, ...head, mac: chainEndMac(keyring, 'audit head', head) }])
}

/** The events of one user are far apart in time, as in service. */
function newEvent(
  sequence: number,
  createdAt: number,
  users: number,
): Omit<AuditEventRow, 'mac' | 'sequence' | 'hash'> {
  const user = ((sequence * 7_919) % users) + 1
  const kind = Math.floor((sequence - 1) / users)
  const isOfOrganization = kind === EVENTS_PER_USER - 1
  return {
    id: idOf('evt', sequence),
    createdAt,
    action: ACTIONS[kind]!,
    actorId: kind === 0 ? idOf('usr', 1) : idOf('usr', user),
    impersonatedBy: null,
    subjectId: idOf('usr', user),
    organizationId: isOfOrganization ? idOf('org', organizationOf(user)) : null,
    ipAddress: '10.0.0.1',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    requestId: `request-${sequence}`,
    details: '{}',
    openUntil: null,
  }
}
