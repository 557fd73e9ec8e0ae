import { useQuery } from '@tanstack/react-query'
import { verifyPasskey } from '../api/passkey-sign-in.ts'
import { passkeysQuery } from '../api/passkeys.ts'
import { FailureNotice } from './FailureNotice.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'

type VerifyPasskeyButtonProps = { kind?: 'main' | 'quiet'; onDone: () => void }

/** Makes the session fresh and verifies the second step, for a user who has a passkey. */
export function VerifyPasskeyButton({ kind = 'quiet', onDone }: VerifyPasskeyButtonProps) {
  const { data: passkeys, error, refetch } = useQuery(passkeysQuery)
  if (passkeys === undefined) return error && <FailureNotice error={error} retry={refetch} />
  return passkeys.length > 0 && <PasskeyButton kind={kind} action={verifyPasskey} onDone={onDone} />
}
