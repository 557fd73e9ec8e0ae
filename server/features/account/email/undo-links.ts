import type { Kysely } from 'kysely'
import type { UnitOfWork } from '../../../core/in-transaction.ts'
import {
  insertToken,
  listTokensOfUser,
  revokeTokensOfIds,
  type UsableToken,
} from '../../../core/single-use-tokens/single-use-tokens.ts'
import { findVerifiedStep } from '../../../core/two-step/store.ts'
import type { SecondStepRow, Tables } from '../../../platform/database/tables.ts'

/** The data of a link that undoes a change of the email address. The link of an earlier version has only `oldEmail`. */
interface UndoData {
  oldEmail: string
  /** Higher for a later change. */
  position?: number
  /** When the user's second step at the time of the change was verified; null without one. */
  stepVerifiedAt?: number | null
}

/**
 * Stores the link of a change. The transaction has locked the user, so that the positions show the order of the
 * changes. The times do not, because the clocks of processes differ.
 */
export async function insertUndoLink(
  { transaction, context }: UnitOfWork,
  userId: string,
  token: string,
  oldEmail: string,
): Promise<void> {
  const links = await listTokensOfUser(transaction, userId, 'undo email change')
  const position = 1 + Math.max(0, ...links.map((link) => dataOf(link).position ?? 0))
  const stepVerifiedAt = (await findVerifiedStep(transaction, userId))?.verifiedAt ?? null
  const data: UndoData = { oldEmail, position, stepVerifiedAt }
  await insertToken(transaction, context, 'undo email change', token, { userId, data: { ...data } })
}

/** Revokes the links of the changes after the one that is undone. */
export async function revokeLaterUndoLinks(
  transaction: Kysely<Tables>,
  userId: string,
  undone: UsableToken,
): Promise<void> {
  const links = await listTokensOfUser(transaction, userId, 'undo email change')
  const later = links.filter((link) => !isEarlier(link, undone))
  await revokeTokensOfIds(
    transaction,
    later.map(({ id }) => id),
  )
}

/** Whether the user already had this second step when the email address was changed. */
export function isStepFromBefore({ verifiedAt }: SecondStepRow, undone: UsableToken): boolean {
  const { stepVerifiedAt } = dataOf(undone)
  return stepVerifiedAt === undefined ? (verifiedAt ?? Infinity) < undone.createdAt : verifiedAt === stepVerifiedAt
}

function isEarlier(link: UsableToken, undone: UsableToken): boolean {
  const [position, undonePosition] = [dataOf(link).position, dataOf(undone).position]
  if (position === undefined || undonePosition === undefined) return link.createdAt < undone.createdAt
  return position < undonePosition
}

function dataOf({ data }: UsableToken): UndoData {
  return data as unknown as UndoData
}
