import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { Link } from 'wouter'
import { invitationQuery } from '../invitations/queries.ts'
import { sessionQuery } from '../shared/api/queries.ts'
import { AccountLink } from '../shared/components/AccountLink.tsx'
import { lazyComponent } from '../shared/components/chunk-component.ts'
import { DoneNotice } from '../shared/components/DoneNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { findDestination, isUnknownInteraction, useInteraction } from '../shared/interaction/interaction.ts'
import { promptOfPage } from '../shared/routing/interaction-id.ts'
import { usePageState } from '../shared/routing/page-state.ts'
import { asksAgain } from './asks-again.ts'
import { SignInForm } from './SignInForm.tsx'
import { signInTexts } from './sign-in-texts.ts'
import { useLeaving } from './use-leaving.ts'

const SecondStepPage = lazyComponent(async () => (await import('./second-step.ts')).SecondStepPage)

const RecoveryCodesLeft = lazyComponent(async () => (await import('./second-step.ts')).RecoveryCodesLeft)

const InteractionProblem = lazyComponent(
  async () => (await import('../shared/interaction/InteractionProblem.tsx')).InteractionProblem,
)

export function SignIn() {
  return (
    <Suspense fallback={<LoadingSignIn />}>
      <SignInSteps />
    </Suspense>
  )
}

function SignInSteps() {
  const session = useQuery(sessionQuery)
  const invitation = useQuery(invitationQuery)
  const interaction = useInteraction()
  const { notice, expired, email, secondStep } = usePageState()
  const [mustAsk] = useState(asksAgain)
  const [codesLeft, setCodesLeft] = useState<number>()

  const user = session.data?.user
  // An invitation that has been answered since gives an error beside its former data.
  const opened = invitation.error ? undefined : invitation.data
  const isLoading = session.isPending || invitation.isPending || interaction.isLoading
  // A later failure must not take the typed text away, unless the sign-in has expired.
  const isExpired = isUnknownInteraction(interaction.error)
  const hasProblem = interaction.error !== null && (interaction.data === undefined || isExpired)
  // The notice is for the user of an emailed link. The browser may be signed in as another user.
  const isForAnother = notice !== undefined && user?.email !== email
  const hasQuestion = mustAsk || isForAnother || codesLeft !== undefined

  const destination = findDestination(interaction.data)
  const { isLeaving, leave } = useLeaving({
    isAutomatic: user !== undefined && !isLoading && !hasProblem && !hasQuestion,
    isForApp: interaction.id !== null,
    ways: { hasInvitation: Boolean(opened), destination },
  })

  if (hasProblem && !isLeaving)
    return <InteractionProblem error={interaction.error} retry={interaction.refetch} notice={notice} />
  if (isLoading || isLeaving) return <LoadingSignIn />
  if (codesLeft !== undefined)
    return <RecoveryCodesLeft count={codesLeft} appName={interaction.data?.client.name} onDone={leave} />

  const pending = opened?.addressKnown ? opened.invitation : undefined
  const expected = promptOfPage() === 'select_account' ? undefined : user
  const texts = signInTexts({ typedEmail: email, user: expected, interaction: interaction.data, destination, pending })
  if (secondStep) {
    const goOn = (recoveryCodesLeft?: number) =>
      recoveryCodesLeft === undefined ? leave() : setCodesLeft(recoveryCodesLeft)
    return <SecondStepPage email={texts.email} step={secondStep} onSignedIn={goOn} />
  }
  return (
    <Page
      heading={texts.heading}
      lead={texts.lead}
      after={opened && !pending && <Link href="/sign-up">Create an account with your invitation</Link>}
    >
      <DoneNotice>{notice}</DoneNotice>
      {expired && <Notice kind="information">{expired}</Notice>}
      <SignInForm email={texts.email} onSignedIn={leave} />
      {user && isForAnother && <AccountLink kind="quiet" />}
    </Page>
  )
}

function LoadingSignIn() {
  return (
    <Page heading="Sign in">
      <Loading />
    </Page>
  )
}
