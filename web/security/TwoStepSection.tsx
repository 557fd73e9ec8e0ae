import { useQuery } from '@tanstack/react-query'
import { type TwoStepStatus, twoStepQuery } from '../shared/api/two-step.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { day } from '../shared/format/moment.ts'
import { LoadingSetting, SettingRow } from './SettingRow.tsx'
import { TwoStep } from './two-step/TwoStep.tsx'

export function TwoStepSection({ email }: { email: string }) {
  const { data: status, error, refetch } = useQuery(twoStepQuery)
  // An open row stays: a later failure must not take its recovery codes away.
  if (status === undefined) return error ? <FailureNotice error={error} retry={refetch} /> : <LoadingSetting />
  return (
    <SettingRow
      id="two-step"
      title="Two-step verification"
      summary={summaryOf(status)}
      label={status.enabled ? 'Change' : 'Set up'}
      about="two-step verification"
    >
      {(close) => <TwoStep status={status} email={email} onDone={close} />}
    </SettingRow>
  )
}

function summaryOf({ enabled, method, enabledAt, hasPassword }: TwoStepStatus): string {
  if (!enabled) return hasPassword ? 'Off. Your password alone signs you in.' : 'Off. Passkeys need no code.'
  const source = method === 'otp' ? 'codes by email' : 'an authenticator app'
  return `On, with ${source}${enabledAt === null ? '' : ` since ${day(new Date(enabledAt))}`}.`
}
