import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { invitationQuery } from '../invitations/queries.ts'
import { loadChunk } from '../shared/api/load-chunk.ts'
import { sessionQuery } from '../shared/api/queries.ts'
import { Loading } from '../shared/components/Loading.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { useHandover } from '../shared/routing/handover.ts'
import { nextOrigin } from '../shared/routing/next-origin.ts'
import { leaveSignIn } from './leave-sign-in.ts'
import { SignInForm } from './SignInForm.tsx'

const SecondStepPage = lazy(async () => {
  const chunk = await loadChunk(() => import('./second-step.ts'))
  return { default: chunk.SecondStepPage }
})

const RecoveryCodesLeft = lazy(async () => {
  const chunk = await loadChunk(() => import('./second-step.ts'))
  return { default: chunk.RecoveryCodesLeft }
})

export function SignIn() {
  const [codesLeft, setCodesLeft] = useState<number>()
  return (
    <Suspense fallback={<LoadingSignIn />}>
      {codesLeft === undefined ? (
        <SignInSteps onRecoveryCode={setCodesLeft} />
      ) : (
        <RecoveryCodesLeft count={codesLeft} />
      )}
    </Suspense>
  )
}

function SignInSteps({ onRecoveryCode }: { onRecoveryCode: (codesLeft: number) => void }) {
  const [, navigate] = useLocation()
  const session = useQuery(sessionQuery)
  const invitation = useQuery(invitationQuery)
  const next = nextOrigin()
  const isSignedIn = Boolean(session.data)
  const { notice, expired, email = '', secondStep } = useHandover()

  const hasInvitation = Boolean(invitation.data)
  const canLeave = isSignedIn && !invitation.isPending

  useEffect(() => {
    if (canLeave) leaveSignIn(navigate, hasInvitation)
  }, [canLeave, navigate, hasInvitation])

  if (session.isPending || invitation.isPending || isSignedIn) return <LoadingSignIn />

  function goOn(codesLeft?: number) {
    if (codesLeft === undefined) leaveSignIn(navigate, hasInvitation)
    else onRecoveryCode(codesLeft)
  }

  if (secondStep) return <SecondStepPage email={email} step={secondStep} onSignedIn={goOn} />
  const pending = invitation.data?.addressKnown ? invitation.data.invitation : undefined
  return (
    <Page
      heading="Sign in"
      lead={leadFor(pending?.organizationName, next)}
      after={invitation.data && !pending && <Link href="/sign-up">Create an account with your invitation</Link>}
    >
      {notice && <Notice kind="success">{notice}</Notice>}
      {expired && <Notice kind="information">{expired}</Notice>}
      <SignInForm email={email || (pending?.email ?? '')} hasInvitation={hasInvitation} />
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

function leadFor(organizationName: string | undefined, next: string | null): string | undefined {
  if (next !== null) return `to go on to ${new URL(next).host}`
  return organizationName === undefined ? undefined : `to join ${organizationName}`
}
