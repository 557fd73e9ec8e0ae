import { useCaller } from '../shared/api/caller.ts'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Notice } from '../shared/components/Notice.tsx'
import { TwoStepBanner } from '../shared/two-step/TwoStepBanner.tsx'
import { AppsWithAccess } from './AppsWithAccess.tsx'
import { ChangeEmailSection } from './ChangeEmailSection.tsx'
import { DeleteAccountSection } from './DeleteAccountSection.tsx'
import { ImpersonationSection } from './ImpersonationSection.tsx'
import { PasskeySection } from './PasskeySection.tsx'
import { PasswordSection } from './PasswordSection.tsx'
import { SecurityHistory } from './SecurityHistory.tsx'
import { SessionList } from './SessionList.tsx'
import { TrustedDevices } from './TrustedDevices.tsx'
import { TwoStepSection } from './TwoStepSection.tsx'

export function Security() {
  const { user, session } = useCaller()
  if (session.impersonatedBy) return <NotWhileImpersonating email={user.email} />
  return (
    <FramePage heading="Security" lead={`How ${user.email} signs in, and where.`}>
      <TwoStepBanner />
      <PasskeySection userId={user.id} />
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
