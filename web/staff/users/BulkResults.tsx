import { Link } from 'wouter'
import { Notice } from '../../shared/components/Notice.tsx'

export type BulkResult = { id: string; email: string; isDone: boolean; outcome: string }

type BulkResultsProps = { results: BulkResult[]; onClose: () => void }

/** The result for each user. Refusals come first. */
export function BulkResults({ results, onClose }: BulkResultsProps) {
  if (results.length === 0) return null
  const refused = results.filter(({ isDone }) => !isDone)
  const done = results.filter(({ isDone }) => isDone)
  return (
    <Notice kind={refused.length > 0 ? 'problem' : 'success'}>
      <p>
        <strong>
          {done.length} done, {refused.length} refused
        </strong>
      </p>
      <ul className="bulk-results">
        {[...refused, ...done].map(({ id, email, outcome }) => (
          <li key={id}>
            <Link href={`/staff/users/${id}`}>{email}</Link>: {outcome}
          </li>
        ))}
      </ul>
      <button type="button" className="text-button" onClick={onClose}>
        Close
      </button>
    </Notice>
  )
}
