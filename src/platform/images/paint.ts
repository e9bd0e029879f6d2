import sharp from 'sharp'

/** A picture to fill a demo with: a landscape of soft hills in the colours of a hue (0 to 359), as JPEG. */
export async function paintLandscape(hue: number, width = 1200, height = 800): Promise<Buffer> {
  const hill = (y: number, lightness: number) =>
    `<path d="M0 ${y} Q ${width * 0.25} ${y - 120} ${width * 0.5} ${y} T ${width} ${y} V ${height} H 0 Z" fill="hsl(${hue},45%,${lightness}%)"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="100%" height="100%" fill="hsl(${(hue + 40) % 360},60%,85%)"/>
    <circle cx="${width * 0.75}" cy="${height * 0.25}" r="80" fill="hsl(${(hue + 60) % 360},80%,92%)"/>
    ${hill(height * 0.6, 60)}${hill(height * 0.75, 45)}${hill(height * 0.9, 32)}
  </svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 82 }).toBuffer()
}
