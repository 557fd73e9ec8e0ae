import type { Kysely } from 'kysely'
import { inBatches } from '../../platform/background/in-batches.ts'
import type { PlatformContext } from '../../platform/context.ts'
import { newId } from '../../platform/crypto/tokens.ts'
import type { AuditEventRow, Tables } from '../../platform/database/tables.ts'
import { withoutTimeBudget } from '../../platform/database/time-budget.ts'
import { networksOf } from '../../platform/http/client-address.ts'
import { isLive } from '../../platform/time/is-live.ts'
import { MINUTE_MILLISECONDS } from '../../platform/time/time-units.ts'
import { type Actor, OPERATOR, toActorColumns } from './actor.ts'
import { eventMac } from './event-mac.ts'
import type { AuditEvent } from './record-event.ts'
import { insertEvents, saveOpenEvents } from './store.ts'

/** Repetitions within this time are one event with a count. */
const WINDOW_MILLISECONDS = 10 * MINUTE_MILLISECONDS
const SAVE_MILLISECONDS = 500
const RETRY_MILLISECONDS = 5_000
/** A window takes about 1 KiB. Beyond the maximum, only action and route distinguish events. */
const WINDOWS_MAXIMUM = 5_000
/** A flood without sessions must not hide which user was refused. */
const WINDOWS_MAXIMUM_FOR_CALLERS = 2 * WINDOWS_MAXIMUM
const BATCH_SIZE = 500

/**
 * Counts events that an attacker can cause in any number, and saves them twice a second. A flood fills neither the
 * audit log nor the disk, and no response waits.
 */
export interface RepeatedEvents {
  /** Events with other `details` are counted apart. */
  add(actor: Actor, event: AuditEvent): void
  /** @throws the error of the database, after which the occurrences stay in memory */
  save(): Promise<void>
  close(): Promise<void>
}

interface Window {
  event: Omit<AuditEventRow, 'mac' | 'sequence' | 'hash' | 'details'> & { openUntil: number }
  details: NonNullable<AuditEvent['details']>
  count: number
  savedCount: number
}

type Saving = Pick<PlatformContext, 'database' | 'keyring' | 'now' | 'randomBytes' | 'log'>

export function createRepeatedEvents(context: Saving): RepeatedEvents {
  const windows = new Map<string, Window>()
  const unsaved = new Set<Window>()
  let timer: NodeJS.Timeout | undefined
  let saving: Promise<void> = Promise.resolve()

  function add(actor: Actor, event: AuditEvent): void {
    const key = keyOf(actor, event)
    const maximum = actor.actorId === null ? WINDOWS_MAXIMUM : WINDOWS_MAXIMUM_FOR_CALLERS
    // While the database is unavailable, closed windows wait in `unsaved`.
    const hasRoom = Math.max(windows.size, unsaved.size) < maximum
    if (hasRoom || findOpen(key)) count(key, actor, event)
    else count(keyOf(NO_ACTOR, withoutSubject(event)), NO_ACTOR, withoutSubject(event))
    timer ??= saveLater(SAVE_MILLISECONDS)
  }

  function count(key: string, actor: Actor, event: AuditEvent): void {
    const window = findOpen(key) ?? openWindow(context, actor, event)
    window.count += 1
    windows.set(key, window)
    unsaved.add(window)
  }

  function findOpen(key: string): Window | undefined {
    const window = windows.get(key)
    return window && isOpen(window, context.now()) ? window : undefined
  }

  function save(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // Concurrent saves would insert the same window twice.
    saving = saving.catch(() => {}).then(saveAll)
    return saving
  }

  async function saveAll(): Promise<void> {
    for (const [key, window] of windows) if (!isOpen(window, context.now())) windows.delete(key)
    // Occurrences that are added during the pauses have a timer of their own.
    const waiting = [...unsaved]
    await inBatches(async () => {
      await saveBatch(waiting.splice(0, BATCH_SIZE))
      return waiting.length > 0
    })
  }

  async function saveBatch(batch: Window[]): Promise<void> {
    if (batch.length === 0) return
    const counts = batch.map((window) => ({ window, count: window.count }))
    await context.database.transaction().execute((transaction) => saveWindows(transaction, context, counts))
    for (const { window, count } of counts) {
      window.savedCount = count
      if (window.count === count) unsaved.delete(window)
    }
  }

  function saveLater(milliseconds: number): NodeJS.Timeout {
    const retry = (error: unknown) => {
      context.log.warn({ err: error }, 'audit events could not be saved; they are tried again')
      timer ??= saveLater(RETRY_MILLISECONDS)
    }
    return setTimeout(() => withoutTimeBudget(() => save().catch(retry)), milliseconds).unref()
  }

  return {
    add,
    save,
    async close() {
      await save().catch((error) => context.log.error({ err: error }, 'audit events were lost'))
    },
  }
}

function isOpen({ event: { openUntil } }: Window, now: number): boolean {
  return isLive(openUntil, WINDOW_MILLISECONDS, now)
}

/**
 * Without a session, the network identifies the client: for IPv6 the /48, because a customer often has all of it. Staff
 * who impersonate a user are another client than the user.
 */
function keyOf(
  { actorId, impersonatedBy, ipAddress }: Actor,
  { action, subjectId, organizationId, details }: AuditEvent,
): string {
  const { network, site } = networksOf(ipAddress)
  const client = actorId ?? site ?? network
  return JSON.stringify([action, client, impersonatedBy, subjectId, organizationId, details])
}

const NO_ACTOR: Actor = { ...OPERATOR, userAgent: null }

function withoutSubject({ action, details }: AuditEvent): AuditEvent {
  return details ? { action, details } : { action }
}

function openWindow(
  context: Saving,
  actor: Actor,
  { action, subjectId, organizationId, details = {} }: AuditEvent,
): Window {
  const createdAt = context.now()
  const openUntil = createdAt + WINDOW_MILLISECONDS
  const about = { subjectId: subjectId ?? null, organizationId: organizationId ?? null }
  const event = { id: newId('evt', context), createdAt, action, ...toActorColumns(actor), ...about, openUntil }
  return { event, details, count: 0, savedCount: 0 }
}

/** A linked event can't change, so a new event counts the rest. */
async function saveWindows(
  transaction: Kysely<Tables>,
  context: Saving,
  counts: { window: Window; count: number }[],
): Promise<void> {
  const events = counts.map(({ window: { event, details }, count }) => withCount(context, event, details, count))
  const saved = await saveOpenEvents(transaction, events)
  const linked = counts.filter(({ window }) => !saved.has(window.event.id))
  if (linked.length === 0) return
  const rests = linked.map(({ window: { event, details, savedCount }, count }) =>
    withCount(context, { ...event, id: newId('evt', context) }, details, count - savedCount),
  )
  await insertEvents(transaction, rests)
}

function withCount({ keyring }: Saving, event: Window['event'], details: Window['details'], count: number) {
  const counted = { ...event, details: JSON.stringify({ ...details, count }) }
  return { ...counted, mac: eventMac(keyring, counted) }
}
