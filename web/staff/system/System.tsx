import { useQuery } from '@tanstack/react-query'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { Skeleton } from '../../shared/components/Skeleton.tsx'
import { moment } from '../../shared/format/moment.ts'
import { AdministratorsOnly } from '../common/AdministratorsOnly.tsx'
import { systemQuery } from '../common/system.ts'
import { Checks } from './Checks.tsx'
import { Origins } from './Origins.tsx'
import { SigningKeys } from './SigningKeys.tsx'
import { Throttles } from './Throttles.tsx'
import { throttlesQuery } from './throttles-query.ts'

/** The other parts wait for the limits above them, whose number decides where those parts begin. */
export function System() {
  const { isPending } = useQuery(throttlesQuery)
  return (
    <FramePage heading="System" isWide>
      <Throttles />
      {!isPending && (
        <AdministratorsOnly what="checks, signing keys and allowed origins">
          <SystemParts />
        </AdministratorsOnly>
      )}
    </FramePage>
  )
}

function SystemParts() {
  const { data, error, refetch } = useQuery(systemQuery)
  const failure = error && <FailureNotice error={error} retry={refetch} />
  if (data === undefined) return failure ?? <Skeleton lines={8} />
  const engine = data.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  return (
    <>
      {failure}
      <Checks checks={data.checks} />
      <SigningKeys keys={data.signingKeys} />
      <Origins returnToOrigins={data.returnToOrigins} trustedOrigins={data.trustedOrigins} />
      <p className="soft">
        Version {data.version} with {engine}, running since {moment(new Date(data.startedAt))}.
      </p>
    </>
  )
}
