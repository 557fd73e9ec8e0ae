import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { CopyError } from './copy-error.ts'

export class FinishedCopyError extends CopyError {
  override name = 'FinishedCopyError'
}

const NEXT = {
  'database.moved': [
    'move',
    'Set DATABASE_URL to the target, run npm run accounts -- doctor, then start (docs/moving.md, step 5).',
  ],
  'database.restored': [
    'restore',
    'Run npm run accounts -- restore list, then restore confirm, then start (docs/backup.md, step 3).',
  ],
} as const

/** For a command that was killed after its last transaction and runs again. @throws FinishedCopyError */
export async function assertNoFinishedCopy(target: Kysely<Tables>): Promise<void> {
  const actions = Object.keys(NEXT) as (keyof typeof NEXT)[]
  const event = await target
    .selectFrom('auditEvents')
    .select(['action', 'createdAt'])
    .where('action', 'in', actions)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!event) return
  const [kind, next] = NEXT[event.action as keyof typeof NEXT]
  const time = new Date(event.createdAt).toISOString()
  throw new FinishedCopyError(
    `The target is not empty: a ${kind} finished here at ${time}. If it is the one that you mean, every row was verified, and nothing is left to copy. ${next} Otherwise choose a new, empty database.`,
  )
}
