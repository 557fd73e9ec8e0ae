import { useState } from 'react'
import { authentication } from '../../shared/api/authentication.ts'
import { RequestFailed } from '../../shared/api/request-failed.ts'
import { failureSentence } from '../../shared/format/failure-sentence.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { BanFields, banOf } from '../common/BanFields.tsx'
import { refreshStaffPages } from '../common/refresh-staff-pages.ts'
import { type BulkResult, BulkResults } from './BulkResults.tsx'

type BulkActionsProps = {
  /** Email addresses by id. */
  selected: ReadonlyMap<string, string>
  onDone: () => void
}

/** Each user gets a request and an audit event of their own. One refusal does not stop the others. */
export function BulkActions({ selected, onDone }: BulkActionsProps) {
  const [results, setResults] = useState<BulkResult[]>([])
  const users = selected.size === 1 ? '1 user' : `${selected.size} users`
  const about = `the ${selected.size} selected`

  async function apply(done: string, action: (userId: string) => Promise<unknown>) {
    const found: BulkResult[] = []
    for (const [id, email] of selected) found.push({ id, email, ...(await attempt(done, () => action(id))) })
    setResults(found)
    await refreshStaffPages()
  }

  if (selected.size === 0) return <BulkResults results={results} onClose={() => setResults([])} />
  return (
    <section className="bulk" aria-label="Selected users">
      <p>{users} selected</p>
      <InlineConfirm
        label="Sign out everywhere"
        about={about}
        question={`Sign out ${users} on all devices? They can sign in again.`}
        confirmLabel="Sign them out"
        pendingLabel="Signing out…"
        action={() => apply('Signed out', (userId) => authentication.admin.revokeUserSessions({ userId }))}
        onDone={onDone}
      />
      <InlineConfirm
        label="Ban…"
        about={about}
        question={`Ban ${users}? They are signed out and can’t sign in until the ban ends or is lifted.`}
        confirmLabel="Ban them"
        pendingLabel="Banning…"
        fields={<BanFields />}
        action={(value) => apply('Banned', (userId) => authentication.admin.banUser({ userId, ...banOf(value) }))}
        onDone={onDone}
      />
      <InlineConfirm
        label="Lift bans"
        about={about}
        kind="main"
        question={`Lift the bans of ${users}? They can sign in again.`}
        confirmLabel="Lift the bans"
        pendingLabel="Lifting…"
        action={() => apply('Ban lifted', (userId) => authentication.admin.unbanUser({ userId }))}
        onDone={onDone}
      />
      <button type="button" className="text-button" onClick={onDone}>
        Clear the selection
      </button>
    </section>
  )
}

async function attempt(done: string, action: () => Promise<unknown>): Promise<Pick<BulkResult, 'isDone' | 'outcome'>> {
  try {
    await action()
    return { isDone: true, outcome: done }
  } catch (error) {
    return { isDone: false, outcome: failureSentence(RequestFailed.from(error)) }
  }
}
