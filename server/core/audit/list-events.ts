import type { PlatformContext } from '../../platform/context.ts'
import type { AuditEventRow } from '../../platform/database/tables.ts'
import type { AuditAction } from './actions.ts'
import { type AuditFilter, listEvents } from './filtered-events-store.ts'
import { kindOf, type RowReference, readNames } from './names.ts'

export interface RecordedEvent extends Omit<AuditEventRow, 'action' | 'details' | 'mac' | 'openUntil'> {
  action: AuditAction
  details: Record<string, unknown>
}

export async function listRecordedEvents(
  { database }: Pick<PlatformContext, 'database'>,
  filter: AuditFilter,
  page: { limit: number; offset: number },
): Promise<RecordedEvent[]> {
  const rows = await listEvents(database, filter, page)
  return rows.map(({ mac: _, openUntil: __, action, details, ...event }) => ({
    ...event,
    action: action as AuditAction,
    details: JSON.parse(details) as Record<string, unknown>,
  }))
}

export interface NamedEvent extends RecordedEvent {
  /** null without an actor, and for a deleted actor */
  actorName: string | null
  subjectName: string | null
  organizationName: string | null
}

export async function addNames(
  { database }: Pick<PlatformContext, 'database'>,
  events: RecordedEvent[],
): Promise<NamedEvent[]> {
  const references = events.flatMap((event) => Object.values(referencesOf(event)))
  const nameOf = await readNames(database, references)
  return events.map((event) => {
    const { actor, subject, organization } = referencesOf(event)
    return { ...event, actorName: nameOf(actor), subjectName: nameOf(subject), organizationName: nameOf(organization) }
  })
}

function referencesOf(event: RecordedEvent) {
  const { actorId, subjectId, organizationId } = event
  return {
    actor: { id: actorId, importedKind: 'usr' },
    subject: { id: subjectId, importedKind: importedKindOf(event) },
    organization: { id: organizationId, importedKind: 'org' },
  } satisfies Record<string, RowReference>
}

export function kindOfSubject(event: RecordedEvent): string | undefined {
  return kindOf(referencesOf(event).subject)
}

/** An import brings subjects of these kinds only. */
function importedKindOf({ action, details }: RecordedEvent): RowReference['importedKind'] {
  const isRefusedKey = details.code === 'KEY_DISABLED' || details.code === 'KEY_EXPIRED'
  if (isRefusedKey || action.startsWith('api-key.')) return 'apk'
  return action.startsWith('invitation.') ? 'inv' : 'usr'
}
