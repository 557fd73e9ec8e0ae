import { useMutation, useQuery } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { ActionButton } from '../shared/components/ActionButton.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { sessionsQuery } from './queries.ts'
import { SessionRow } from './SessionRow.tsx'

/** The current session comes first, then the others by last use. */
export function SessionList({ currentId }: { currentId: string }) {
  const { data: sessions, error, isPending, refetch } = useQuery(sessionsQuery)
  const signOutOthers = useMutation({
    mutationFn: () => authentication.revokeOtherSessions(),
    onSuccess: () => queryClient.invalidateQueries(sessionsQuery),
  })
  const current = sessions?.find((session) => session.id === currentId)
  const others = sessions
    ?.filter((session) => session !== current)
    .sort((one, other) => other.updatedAt.getTime() - one.updatedAt.getTime())

  return (
    <section className="card" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      {isPending && <Loading />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {signOutOthers.error && <FailureNotice error={signOutOthers.error} />}
      <ul className="rows">
        {current && <SessionRow session={current} isCurrent />}
        {others?.map((session) => (
          <SessionRow key={session.id} session={session} isCurrent={false} />
        ))}
      </ul>
      {others !== undefined && others.length > 0 && (
        <ActionButton
          kind="quiet"
          isPending={signOutOthers.isPending}
          pendingLabel="Signing out…"
          onPress={() => signOutOthers.mutate()}
        >
          Sign out everywhere else
        </ActionButton>
      )}
    </section>
  )
}
