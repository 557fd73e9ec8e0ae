import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type Caller, isTwoStepRequired, queryClient } from '../shared/api/queries.ts'
import { hasCode } from '../shared/api/request-failed.ts'
import { AnswerButtons } from '../shared/components/AnswerButtons.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { Page } from '../shared/components/Page.tsx'
import { SignOutButton } from '../shared/components/SignOutButton.tsx'
import type { Sentences } from '../shared/format/failure-sentence.ts'
import { isolated } from '../shared/format/isolated.ts'
import { AppSummary } from './AppSummary.tsx'
import { DeviceAnswered, DeviceExpired } from './DeviceAnswered.tsx'
import { deviceHint } from './device-hint.ts'
import { deviceQuery } from './device-query.ts'
import { approveDevice, denyDevice, type WaitingDevice } from './endpoints.ts'
import { OrganizationField } from './OrganizationField.tsx'
import { ORGANIZATIONS_CHANGED, reloadAfter } from './outdated-page.ts'
import { SharedData } from './SharedData.tsx'
import { useAnswer } from './use-answer.ts'
import { VerifyTwoStep } from './VerifyTwoStep.tsx'

const SENTENCES: Sentences = {
  ORGANIZATION_NOT_FOUND: 'This app is for members of an organization, and you are not one of them.',
  NO_ACTIVE_ORGANIZATION: 'This app works in an organization, and you are in none. Ask to be invited.',
}

/** After these refusals, the page shows the present state: an earlier answer counts even if its response was lost. */
const OUTDATED = ['NO_ACTIVE_ORGANIZATION', 'ORGANIZATION_NOT_FOUND', 'DEVICE_CODE_NOT_FOUND'] as const

type QuestionProps = { code: string; user: Caller['user'] }

export function DeviceQuestion({ code, user }: QuestionProps) {
  const { data: device, error, refetch } = useQuery(deviceQuery(code))
  if (device) return <Answer device={device} user={user} reload={() => refetch({ throwOnError: true })} />
  if (hasCode(error, 'DEVICE_CODE_NOT_FOUND')) return <DeviceExpired />
  return <Page heading="Connect a device">{error ? <FailureNotice error={error} retry={refetch} /> : <Loading />}</Page>
}

type AnswerProps = { device: WaitingDevice; user: Caller['user']; reload: () => Promise<unknown> }

function Answer({ device, user, reload }: AnswerProps) {
  const { userCode, client, scopes, organizations, status } = device
  const mustChoose = scopes.includes('organization') && organizations.length > 1
  const [chosenId, setChosenId] = useState('')
  // The user may have left the chosen organization since.
  const organizationId = organizations.some(({ id }) => id === chosenId) ? chosenId : ''
  const [isMissing, setMissing] = useState(false)
  const organizationField = useRef<HTMLSelectElement>(null)
  const mutation = useAnswer(async (approves: boolean) => {
    const shownId = mustChoose ? organizationId : organizations[0]?.id
    const answered = approves ? approveDevice(userCode, shownId || undefined) : denyDevice(userCode)
    await reloadAfter(OUTDATED, answered, reload)
    // Back shows the stored state, without another request.
    queryClient.setQueryData(deviceQuery(userCode).queryKey, { ...device, status: approves ? 'approved' : 'denied' })
  })
  const { answer: send, isBusy, error, given } = mutation
  const hasJoinedAnother = mustChoose && hasCode(error, 'NO_ACTIVE_ORGANIZATION')

  if (status !== 'pending') return <DeviceAnswered status={status} appName={client.name} />
  if (hasCode(error, 'DEVICE_CODE_NOT_FOUND')) return <DeviceExpired />
  if (isTwoStepRequired(error)) {
    return (
      <Page heading={`One more step to connect ${client.name}`}>
        <VerifyTwoStep appName={client.name} email={user.email} onDone={() => send(true)} />
      </Page>
    )
  }

  function answer(approves: boolean) {
    const lacksChoice = approves && mustChoose && organizationId === ''
    flushSync(() => setMissing(lacksChoice))
    if (lacksChoice) organizationField.current?.focus()
    else send(approves)
  }

  return (
    <Page
      heading={`Connect ${client.name}?`}
      lead={`You are signed in as ${isolated(user.name)} (${user.email}).`}
      after={
        <SignOutButton
          label="Sign out and use another account"
          destination={`/device?${new URLSearchParams({ user_code: userCode })}`}
        />
      }
    >
      <AppSummary client={client} />
      <Warning device={device} />
      <SharedData client={client} scopes={scopes} user={user} organizations={organizations} />
      {mustChoose && (
        <OrganizationField
          ref={organizationField}
          organizations={organizations}
          value={organizationId}
          isMissing={isMissing || (hasJoinedAnother && organizationId === '')}
          onChange={(id) => {
            setChosenId(id)
            setMissing(false)
          }}
        />
      )}
      {error && !hasJoinedAnother && (
        <FailureNotice error={error} sentences={organizations.length > 0 ? ORGANIZATIONS_CHANGED : SENTENCES} />
      )}
      <AnswerButtons
        yes={{ label: 'Approve', pendingLabel: 'Connecting…' }}
        no={{ label: 'Deny', pendingLabel: 'Denying…' }}
        pending={isBusy ? given : undefined}
        onAnswer={answer}
      />
    </Page>
  )
}

function Warning({ device }: { device: WaitingDevice }) {
  return (
    <Notice kind="information">
      <p>
        Your device must show the code <strong className="code">{device.userCode}</strong>. It asked{' '}
        {deviceHint(device)}.
      </p>
      <p>
        Did you get this code by phone, email or chat? Then press Deny. With Approve, the sender gets into your account.
      </p>
    </Notice>
  )
}
