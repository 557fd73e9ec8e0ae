import { useQuery } from '@tanstack/react-query'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { day } from '../shared/format/moment.ts'
import { ChangePassword } from './ChangePassword.tsx'
import { NoPassword } from './NoPassword.tsx'
import { passwordQuery } from './queries.ts'
import { LoadingSetting, SettingRow } from './SettingRow.tsx'

type PasswordSectionProps = { user: { name: string; email: string } }

export function PasswordSection({ user }: PasswordSectionProps) {
  const { data: password, error, refetch } = useQuery(passwordQuery)
  // An open row stays: a later failure must not take its passwords away.
  if (password === undefined) return error ? <FailureNotice error={error} retry={refetch} /> : <LoadingSetting />
  return (
    <SettingRow
      id="password"
      title="Password"
      summary={password ? `Changed ${day(password.updatedAt)}` : 'You sign in without a password.'}
      label={password ? 'Change' : 'Choose one'}
      about={password ? 'your password' : 'as your password'}
    >
      {(close) => (password ? <ChangePassword user={user} onDone={close} /> : <NoPassword email={user.email} />)}
    </SettingRow>
  )
}
