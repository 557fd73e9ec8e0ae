import type { Kysely } from 'kysely'
import type { UnitOfWork } from '../../../core/in-transaction.ts'
import {
  insertToken,
  listUndoLinks,
  revokeTokensOfIds,
  type UsableToken,
} from '../../../core/single-use-tokens/single-use-tokens.ts'
import { SINGLE_USE_TOKEN_MILLISECONDS } from '../../../core/single-use-tokens/token-purposes.ts'
import { deleteOtherRecoveryCodes, listRecoveryCodeHashes } from '../../../core/two-step/recovery-code-store.ts'
import { findVerifiedSecondStep } from '../../../core/two-step/store.ts'
import { listUsersByEmail } from '../../../core/users/find-user.ts'
import type { SecondStepRow, Tables } from '../../../platform/database/tables.ts'
import { isLive } from '../../../platform/time/is-live.ts'

type UndoLink = UsableToken<'undo email change'>

const LIFETIME = SINGLE_USE_TOKEN_MILLISECONDS['undo email change']

/** The transaction has locked the user, so `position` shows the order of changes. Clocks of processes differ. */
export async function insertUndoLink(
  { transaction, context }: UnitOfWork,
  userId: string,
  token: string,
  oldEmail: string,
): Promise<void> {
  const links = await listUndoLinks(transaction, userId)
  const position = 1 + Math.max(0, ...links.map(({ data }) => data.position ?? 0))
  const step = await findVerifiedSecondStep(transaction, userId)
  const recoveryCodeHashes = step ? await listRecoveryCodeHashes(transaction, step) : []
  const data = { oldEmail, position, stepVerifiedAt: step?.verifiedAt ?? null, recoveryCodeHashes }
  await insertToken(transaction, context, 'undo email change', token, { userId, data })
}

/** Omits an address of another account: its link does not work, and an email would confuse the other user. */
export async function listUndoAddresses(transaction: Kysely<Tables>, userId: string, now: number): Promise<string[]> {
  const links = await listLiveUndoLinks(transaction, userId, now)
  const addresses = new Set(links.map(({ data }) => data.oldEmail))
  const users = await listUsersByEmail(transaction, [...addresses])
  return [...addresses].filter((address) => users.every(({ id, email }) => email !== address || id === userId))
}

/** Finds the link of the earliest change from this address, if the link still undoes it. */
export async function findUndoLinkTo(
  transaction: Kysely<Tables>,
  userId: string,
  address: string,
  now: number,
): Promise<UndoLink | undefined> {
  const links = await listLiveUndoLinks(transaction, userId, now)
  return links
    .filter(({ data }) => data.oldEmail === address)
    .reduce<UndoLink | undefined>((first, link) => (first && !isEarlier(link, first) ? first : link), undefined)
}

async function listLiveUndoLinks(transaction: Kysely<Tables>, userId: string, now: number): Promise<UndoLink[]> {
  const links = await listUndoLinks(transaction, userId)
  return links.filter(({ createdAt }) => isLive(createdAt + LIFETIME, LIFETIME, now))
}

export async function revokeUndoLinksFrom(
  transaction: Kysely<Tables>,
  userId: string,
  undone: UndoLink,
): Promise<void> {
  const links = await listUndoLinks(transaction, userId)
  const later = links.filter((link) => !isEarlier(link, undone))
  await revokeTokensOfIds(
    transaction,
    later.map(({ id }) => id),
  )
}

export interface UndoneStep {
  /** The user had this second step at the change of the email address, so it stays. */
  earlier?: SecondStepRow
  /** No second step stays, although the user had one at the change or has one now. */
  isOff: boolean
}

export async function findUndoneStep(database: Kysely<Tables>, undone: UndoLink): Promise<UndoneStep> {
  const step = undone.userId === null ? undefined : await findVerifiedSecondStep(database, undone.userId)
  if (step && isStepFromBefore(step, undone)) return { earlier: step, isOff: false }
  return { isOff: step !== undefined || typeof undone.data.stepVerifiedAt === 'number' }
}

/** An intruder may have created later codes. A link of an earlier version has no hashes, so it deletes all codes. */
export function deleteLaterRecoveryCodes(
  transaction: Kysely<Tables>,
  step: SecondStepRow,
  { data }: UndoLink,
): Promise<number> {
  return deleteOtherRecoveryCodes(transaction, step, data.recoveryCodeHashes ?? [])
}

function isStepFromBefore({ verifiedAt }: SecondStepRow, undone: UndoLink): boolean {
  const { stepVerifiedAt } = undone.data
  return stepVerifiedAt === undefined ? (verifiedAt ?? Infinity) < undone.createdAt : verifiedAt === stepVerifiedAt
}

function isEarlier(link: UndoLink, undone: UndoLink): boolean {
  const [position, undonePosition] = [link.data.position, undone.data.position]
  if (position === undefined || undonePosition === undefined) return link.createdAt < undone.createdAt
  return position < undonePosition
}
