/** Widths of Verdana's characters in thousandths of an em, from the space to the tilde; a badge is laid out without fonts. */
const widths = [
  352, 394, 459, 818, 636, 1076, 727, 269, 454, 454, 636, 818, 364, 454, 364, 454, 636, 636, 636, 636, 636,
  636, 636, 636, 636, 636, 454, 454, 818, 818, 818, 545, 1000, 684, 686, 698, 771, 632, 575, 775, 751, 421,
  455, 693, 557, 843, 748, 787, 603, 787, 695, 684, 616, 732, 684, 989, 685, 615, 685, 454, 454, 454, 818,
  636, 636, 601, 623, 521, 623, 596, 352, 623, 633, 274, 344, 592, 274, 973, 633, 607, 623, 623, 427, 521,
  394, 633, 592, 818, 592, 592, 525, 635, 454, 635, 818,
]
const space = 0x20
/** Letters with accents, Greek, Cyrillic. */
const otherWidth = 650
/** Where full-width scripts and pictures begin. */
const fullWidthFrom = 0x1100
const fullWidth = 1050

type Font = { size: number; letterSpacing?: number; bold?: boolean }

/** In pixels, rounded up. */
export const textWidth = (text: string, { size, letterSpacing = 0, bold = false }: Font): number => {
  const characters = [...text]
  const units = characters.reduce((sum, character) => sum + widthOf(character.codePointAt(0) ?? space), 0)
  return Math.ceil((units * size * (bold ? 1.1 : 1)) / 1000 + characters.length * letterSpacing)
}

const widthOf = (codePoint: number): number =>
  widths[codePoint - space] ?? (codePoint >= fullWidthFrom ? fullWidth : otherWidth)
