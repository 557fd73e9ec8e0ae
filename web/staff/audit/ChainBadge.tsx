import { useQuery } from '@tanstack/react-query'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { type SystemState, systemQuery } from '../common/system.ts'

/** Shows whether the newest events of the audit log are unchanged. */
export function ChainBadge() {
  const { data, error, isPending, refetch } = useQuery(systemQuery)
  return (
    <>
      {error && <FailureNotice error={error} retry={refetch} />}
      {isPending && <span className="badge chain-badge badge-open">Verifying the newest events…</span>}
      {data && <VerifiedChain attention={data.attention} />}
    </>
  )
}

function VerifiedChain({ attention }: Pick<SystemState, 'attention'>) {
  const problem = attention.find(({ kind }) => kind === 'audit-chain')
  if (problem) return <span className="badge chain-badge badge-bad">The chain is broken: {problem.message}</span>
  return <span className="badge chain-badge badge-good">The chain head and the newest 200 events are verified</span>
}
