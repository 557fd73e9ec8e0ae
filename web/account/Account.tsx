import { Link } from 'wouter'
import { useCaller } from '../shared/api/caller.ts'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Monogram } from '../shared/components/Monogram.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { TwoStepBanner } from '../shared/two-step/TwoStepBanner.tsx'
import { EditProfile } from './EditProfile.tsx'
import { OpenInvitations } from './OpenInvitations.tsx'
import { OrganizationList } from './OrganizationList.tsx'
import { PasskeyNudge } from './PasskeyNudge.tsx'
import { ServicesSection } from './ServicesSection.tsx'
import { UnverifiedEmail } from './UnverifiedEmail.tsx'
import { useFirstCardsLoading } from './use-first-cards.ts'

export function Account() {
  const caller = useCaller()
  const { user } = caller
  if (useFirstCardsLoading(caller)) {
    return (
      <FramePage heading="Your account">
        <Skeleton lines={8} />
      </FramePage>
    )
  }
  return (
    <FramePage heading="Your account">
      <TwoStepBanner />
      <OpenInvitations />
      <PasskeyNudge {...caller} />
      <section className="card profile" aria-label="You">
        <Monogram name={user.name} image={user.image} />
        <div>
          <p className="profile-name">{user.name}</p>
          <p>
            {user.email} <VerifiedBadge isVerified={user.emailVerified} />
          </p>
          <p className="soft">
            <Link href="/account/security#email">Change your email address</Link>
          </p>
        </div>
      </section>
      {!user.emailVerified && <UnverifiedEmail email={user.email} />}
      <OrganizationList />
      <ServicesSection />
      <EditProfile user={user} />
    </FramePage>
  )
}

function VerifiedBadge({ isVerified }: { isVerified: boolean }) {
  return (
    <span className={`badge ${isVerified ? 'badge-good' : 'badge-open'}`}>
      {isVerified ? 'Verified' : 'Not verified'}
    </span>
  )
}
