import { useQuery } from '@tanstack/react-query'
import { verifyPasskey } from '../api/passkey-sign-in.ts'
import { passkeysQuery } from '../api/passkeys.ts'
import { PasskeyButton } from './PasskeyButton.tsx'

type VerifyPasskeyButtonProps = { kind?: 'main' | 'quiet'; onDone: () => void }

/** Makes the session fresh and verifies the second step, for a user who has a passkey. */
export function VerifyPasskeyButton({ kind = 'quiet', onDone }: VerifyPasskeyButtonProps) {
  const { data: passkeys = [] } = useQuery(passkeysQuery)
  return passkeys.length > 0 && <PasskeyButton kind={kind} action={verifyPasskey} onDone={onDone} />
}
