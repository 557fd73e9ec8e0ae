import { Monogram } from '../shared/components/Monogram.tsx'

type AvatarProps = { name: string; image: string | null | undefined }

/** Somebody's picture, or their monogram. Pictures that lie elsewhere would tell that site who looks: they aren't loaded. */
export function Avatar({ name, image }: AvatarProps) {
  if (!image?.startsWith('data:image/')) return <Monogram name={name} />
  return <img className="avatar" src={image} alt="" width="52" height="52" />
}
