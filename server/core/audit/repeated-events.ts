import type { Kysely } from 'kysely'
import type { PlatformContext } from '../../platform/context.ts'
import { newId } from '../../platform/crypto/tokens.ts'
import type { AuditEventRow, Tables } from '../../platform/database/tables.ts'
import { networksOf } from '../../platform/http/client-address.ts'
import type { Actor } from './actor.ts'
import { eventMac } from './event-mac.ts'
import type { AuditEvent } from './record-event.ts'
import { saveOpenEvent } from './store.ts'

/** Repetitions within this time after the first one are one event with a count. */
const WINDOW_MILLISECONDS = 10 * 60_000
const SAVE_MILLISECONDS = 500
const RETRY_MILLISECONDS = 5_000
/** At about 1 KiB each. Beyond it, only the action and the route tell events apart. */
const WINDOWS_MAXIMUM = 5_000
/** Room of their own for signed-in callers: a flood of strangers must not hide which user was refused. */
const WINDOWS_MAXIMUM_FOR_CALLERS = 2 * WINDOWS_MAXIMUM
const EVENTS_AT_ONCE = 500

/**
 * Events that a stranger can cause at will: refusals, failed sign-ins, limits. They are counted in memory and saved twice
 * a second, so that neither the log nor the disk can be flooded, and no answer waits for them.
 */
export interface RepeatedEvents {
  /** Adds one occurrence; what differs in `details` is another event. */
  add(actor: Actor, event: AuditEvent): void
  /** Saves what was added so far. @throws the database's error; nothing is lost then */
  save(): Promise<void>
  /** Saves once more, if the database takes it. */
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
  let unsaved = new Set<Window>()
  let timer: NodeJS.Timeout | undefined
  let saving: Promise<void> = Promise.resolve()

  function add(actor: Actor, event: AuditEvent): void {
    const key = keyOf(actor, event)
    const maximum = actor.actorId === null ? WINDOWS_MAXIMUM : WINDOWS_MAXIMUM_FOR_CALLERS
    const isKnown = windows.has(key) || windows.size < maximum
    if (isKnown) count(key, actor, event)
    else count(keyOf(NO_ACTOR, withoutSubject(event)), NO_ACTOR, withoutSubject(event))
    timer ??= saveLater(SAVE_MILLISECONDS)
  }

  function count(key: string, actor: Actor, event: AuditEvent): void {
    const known = windows.get(key)
    const window = known && isOpen(known, context.now()) ? known : openWindow(context, actor, event)
    window.count += 1
    windows.set(key, window)
    unsaved.add(window)
  }

  function save(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    // One after the other: two at once would insert the same window twice.
    saving = saving.catch(() => {}).then(saveAll)
    return saving
  }

  async function saveAll(): Promise<void> {
    for (const [key, window] of windows) if (!isOpen(window, context.now())) windows.delete(key)
    while (unsaved.size > 0) {
      const batch = [...unsaved].slice(0, EVENTS_AT_ONCE)
      const counts = batch.map((window) => ({ window, count: window.count }))
      await context.database.transaction().execute(async (transaction) => {
        for (const { window, count } of counts) await saveWindow(transaction, context, window, count)
      })
      for (const { window, count } of counts) window.savedCount = count
      unsaved = new Set([...unsaved].filter((window) => window.count > window.savedCount))
    }
  }

  function saveLater(milliseconds: number): NodeJS.Timeout {
    const retry = (error: unknown) => {
      context.log.warn({ err: error }, 'audit events could not be saved; they are tried again')
      timer ??= saveLater(RETRY_MILLISECONDS)
    }
    return setTimeout(() => save().catch(retry), milliseconds).unref()
  }

  return {
    add,
    save,
    async close() {
      await save().catch((error) => context.log.error({ err: error }, 'audit events were lost'))
    },
  }
}

/** A window that ends too late was opened by a clock that was ahead. */
function isOpen({ event: { openUntil } }: Window, now: number): boolean {
  return openUntil > now && openUntil <= now + 2 * WINDOW_MILLISECONDS
}

/** A caller is known by the user's id, a stranger by the network; of IPv6 by the /48, which one customer often has whole. */
function keyOf({ actorId, ipAddress }: Actor, { action, subjectId, organizationId, details }: AuditEvent): string {
  const { network, site } = networksOf(ipAddress)
  const who = actorId ?? site ?? network
  return JSON.stringify([action, who, subjectId, organizationId, details])
}

const NO_ACTOR: Actor = { actorId: null, impersonatedBy: null, ipAddress: null, userAgent: null, requestId: null }

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
  const event = { id: newId('evt', context), createdAt, action, ...actor, ...about, openUntil }
  return { event, details, count: 0, savedCount: 0 }
}

/** An event that was linked into the chain by now can't change: the rest is counted by one of its own. */
async function saveWindow(
  transaction: Kysely<Tables>,
  context: Saving,
  { event, details, savedCount }: Window,
  count: number,
): Promise<void> {
  if (await saveOpenEvent(transaction, withCount(context, event, details, count))) return
  const rest = { ...event, id: newId('evt', context) }
  await saveOpenEvent(transaction, withCount(context, rest, details, count - savedCount))
}

function withCount({ keyring }: Saving, event: Window['event'], details: Window['details'], count: number) {
  const entry = { ...event, details: JSON.stringify({ ...details, count }) }
  return { ...entry, mac: eventMac(keyring, entry) }
}
