import { useQuery } from '@tanstack/react-query'
import { useCaller } from '../shared/api/caller.ts'
import { passkeysQuery } from '../shared/api/passkeys.ts'
import type { Caller } from '../shared/api/queries.ts'
import { twoStepQuery } from '../shared/api/two-step.ts'
import { useFirstLoad } from '../shared/api/use-first-load.ts'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { TwoStepBanner } from '../shared/two-step/TwoStepBanner.tsx'
import { AppsWithAccess } from './AppsWithAccess.tsx'
import { ChangeEmailSection } from './ChangeEmailSection.tsx'
import { DeleteAccountSection } from './DeleteAccountSection.tsx'
import { ImpersonationSection } from './ImpersonationSection.tsx'
import { PasskeySection } from './PasskeySection.tsx'
import { PasswordSection } from './PasswordSection.tsx'
import { passwordQuery } from './queries.ts'
import { SecurityHistory } from './SecurityHistory.tsx'
import { SessionList } from './SessionList.tsx'
import { TrustedDevices } from './TrustedDevices.tsx'
import { TwoStepSection } from './TwoStepSection.tsx'

export function Security() {
  const caller = useCaller()
  return caller.session.impersonatedBy ? <NotWhileImpersonating email={caller.user.email} /> : <Settings {...caller} />
}

function Settings({ user, session }: Caller) {
  const passkeys = useQuery({ ...passkeysQuery, refetchOnMount: 'always' })
  const isLoading = useFirstLoad([passkeys, useQuery(passwordQuery), useQuery(twoStepQuery)])
  const lead = `How ${user.email} signs in, and where.`
  if (isLoading) {
    return (
      <FramePage heading="Security" lead={lead}>
        <Skeleton lines={12} />
      </FramePage>
    )
  }
  return (
    <FramePage heading="Security" lead={lead}>
      <TwoStepBanner />
      <PasskeySection userId={user.id} query={passkeys} />
      <PasswordSection user={user} />
      <TwoStepSection email={user.email} />
      <ChangeEmailSection email={user.email} />
      <SessionList currentId={session.id} />
      <TrustedDevices />
      <AppsWithAccess />
      <SecurityHistory />
      <ImpersonationSection />
      <DeleteAccountSection email={user.email} />
    </FramePage>
  )
}

/** The service refuses all of this to staff who impersonate a user. */
function NotWhileImpersonating({ email }: { email: string }) {
  return (
    <FramePage heading="Security">
      <Notice kind="information">
        Only {email} can see and change how they sign in. Stop impersonating them to see what staff may see.
      </Notice>
    </FramePage>
  )
}
