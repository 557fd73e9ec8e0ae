import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { Skeleton } from '../../shared/components/Skeleton.tsx'
import { AdministratorsOnly } from '../common/AdministratorsOnly.tsx'
import { type SystemState, systemQuery } from '../common/system.ts'

const PLACES: Record<SystemState['attention'][number]['kind'], string> = {
  'check-failed': '/staff/system',
  'audit-chain': '/staff/audit',
  'mail-failing': '/staff/emails?status=failed',
  'mail-waiting': '/staff/emails?status=delayed',
  'log-outs-failing': '/staff/audit?action=oauth-logout.failed',
  'log-outs-waiting': '/staff/system',
  throttled: '/staff/system',
  'single-administrator': '/staff/users?filter=role:admin',
}

export function NeedsYou() {
  return (
    <AdministratorsOnly what="what needs attention">
      <Attention />
    </AdministratorsOnly>
  )
}

function Attention() {
  const { data, error, isPending, refetch } = useQuery(systemQuery)
  return (
    <>
      {error && <FailureNotice error={error} retry={refetch} />}
      {isPending && <Skeleton lines={2} />}
      {data && <Problems attention={data.attention} />}
    </>
  )
}

function Problems({ attention }: Pick<SystemState, 'attention'>) {
  if (attention.length === 0) return <p className="notice notice-success">Nothing needs you.</p>
  return (
    <section className="card needs-you" aria-labelledby="needs-you">
      <h2 id="needs-you">Needs you</h2>
      <ul className="rows">
        {attention.map(({ kind, message }) => (
          <li key={message} className="row">
            <p className="row-text">{message}</p>
            <Link href={PLACES[kind]}>
              Look<span className="visually-hidden"> at: {message}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
