import { useQuery } from '@tanstack/react-query'
import { Redirect, useSearchParams } from 'wouter'
import { sessionQuery } from '../shared/api/queries.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Page } from '../shared/components/Page.tsx'
import { type PageState, usePageState } from '../shared/routing/page-state.ts'
import { AskForCode } from './AskForCode.tsx'
import { DeviceQuestion } from './DeviceQuestion.tsx'

/** For a device without a browser or a keyboard: its user types the code that it shows, and approves. */
export function Device() {
  const { data: caller, error, refetch } = useQuery(sessionQuery)
  const [parameters] = useSearchParams()
  const { checkedCode } = usePageState()
  const code = parameters.get('user_code') ?? ''

  if (caller === null)
    return (
      <Redirect to="/sign-in" replace state={{ returnTo: location.pathname + location.search } satisfies PageState} />
    )
  if (caller === undefined) {
    return (
      <Page heading="Connect a device">{error ? <FailureNotice error={error} retry={refetch} /> : <Loading />}</Page>
    )
  }
  if (checkedCode === undefined) return <AskForCode key={code} code={code} />
  return <DeviceQuestion key={`${caller.user.id} ${checkedCode}`} code={checkedCode} user={caller.user} />
}
