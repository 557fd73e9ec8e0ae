import { Link } from 'wouter'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { useIsAdministrator } from './use-is-administrator.ts'

type NotThereProps = { kind: 'user' | 'organization'; id: string }

/** The page of a deleted user or organization, or of an incomplete link. */
export function NotThere({ kind, id }: NotThereProps) {
  const isAdministrator = useIsAdministrator()
  return (
    <FramePage heading={`There is no such ${kind}`}>
      <div className="card">
        <p>
          No {kind} has the id <code>{id}</code>. The {kind} was deleted, or the link to this page is incomplete.
        </p>
        {isAdministrator && <Link href={`/staff/audit?id=${encodeURIComponent(id)}`}>Audit events of this id</Link>}
        <Link href={`/staff/${kind}s`}>All {kind}s</Link>
      </div>
    </FramePage>
  )
}
