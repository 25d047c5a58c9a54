// The parts of the lean Llama (lean.py) around its products, each in one pass over its arguments, for bfloat16
// activations on one core; fused.py builds this file, kernels.py says in plain torch what every function computes.
//
// Attention (attention.py) takes its small products from torch's brgemm, which runs on tiles (AMX): left operands row
// by row, right ones as [panels of 64 columns][rows / 2][64][2], rows beyond the last zero.

#include <ATen/native/CPUBlas.h>
#include <torch/extension.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <tuple>
#include <vector>

namespace {

using at::BFloat16;
using at::Tensor;
using half = uint16_t;  // the bits of a BFloat16

constexpr int64_t BLOCK = 32;  // tokens whose queries share one product over the keys before them
constexpr int64_t PANEL = 64;  // columns of a packed operand; torch's brgemm takes no more
constexpr int64_t ROUND = 32;  // rows and keys are filled up to a multiple: whole tiles, and few kernels to be made

[[gnu::always_inline]] inline float up(half v) {
  const uint32_t bits = uint32_t(v) << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

[[gnu::always_inline]] inline half down(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return half((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// e^x to 2e-7 from -60 to 88, without branches, so that loops over it become vector instructions. Smaller
// results would soon be subnormal products, which take a hundred times as long.
[[gnu::always_inline]] inline float exp_of(float x) {
  x = std::min(std::max(x, -60.0f), 88.0f);
  const float n = (x * 1.44269504f + 12582912.0f) - 12582912.0f;  // the nearest whole number
  const float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const uint32_t bits = uint32_t(int32_t(n) + 127) << 23;
  float scale;
  std::memcpy(&scale, &bits, 4);
  return p * scale;
}

inline half* halves(const Tensor& t) { return reinterpret_cast<half*>(t.data_ptr<BFloat16>()); }
inline float* floats(const Tensor& t) { return t.data_ptr<float>(); }
inline int64_t whole(int64_t n) { return (n + ROUND - 1) / ROUND * ROUND; }
inline int64_t panels(int64_t n) { return (n + PANEL - 1) / PANEL * PANEL; }

void check_rows(const Tensor& t, at::ScalarType type) {
  TORCH_CHECK(t.dim() == 2 && t.scalar_type() == type && t.stride(1) == 1, "rows of another type or order");
}

// ---- norm, activation, loss

// The new residual x + y, and its norm in out; without y it is x.
Tensor add_rms_norm(
    const Tensor& x, const std::optional<Tensor>& y, const Tensor& gain, double eps, const Tensor& out) {
  check_rows(x, at::kFloat);
  check_rows(out, at::kBFloat16);
  const int64_t rows = x.size(0), width = x.size(1);
  Tensor z = y ? at::empty({rows, width}, x.options()) : x;
  const float* g = floats(gain);
  for (int64_t r = 0; r < rows; r++) {
    const float* xr = floats(x) + r * x.stride(0);
    float* zr = floats(z) + r * z.stride(0);
    half* o = halves(out) + r * out.stride(0);
    float sum = 0;
    if (y) {
      const half* yr = halves(*y) + r * y->stride(0);
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < width; i++) {
        const float v = xr[i] + up(yr[i]);
        zr[i] = v;
        sum += v * v;
      }
    } else {
#pragma omp simd reduction(+ : sum)
      for (int64_t i = 0; i < width; i++) sum += xr[i] * xr[i];
    }
    const float rstd = 1.0f / std::sqrt(sum / width + float(eps));
#pragma omp simd
    for (int64_t i = 0; i < width; i++) o[i] = down(zr[i] * rstd * g[i]);
  }
  return z;
}

void rms_norm(const Tensor& x, const Tensor& gain, double eps, const Tensor& out) {
  add_rms_norm(x, std::nullopt, gain, eps, out);
}

void rms_norm_backward(
    const Tensor& dy, const Tensor& x, const Tensor& gain, double eps, const Tensor& dx, const Tensor& out) {
  check_rows(dy, at::kBFloat16);
  check_rows(x, at::kFloat);
  check_rows(dx, at::kFloat);
  const int64_t rows = x.size(0), width = x.size(1);
  const float* g = floats(gain);
  for (int64_t r = 0; r < rows; r++) {
    const half* d = halves(dy) + r * dy.stride(0);
    const float* xr = floats(x) + r * x.stride(0);
    float* dxr = floats(dx) + r * dx.stride(0);
    half* o = halves(out) + r * out.stride(0);
    float squares = 0, along = 0;
#pragma omp simd reduction(+ : squares, along)
    for (int64_t i = 0; i < width; i++) {
      squares += xr[i] * xr[i];
      along += up(d[i]) * g[i] * xr[i];
    }
    const float rstd = 1.0f / std::sqrt(squares / width + float(eps));
    const float back = along * rstd * rstd / width;
#pragma omp simd
    for (int64_t i = 0; i < width; i++) {
      const float v = dxr[i] + rstd * (up(d[i]) * g[i] - xr[i] * back);
      dxr[i] = v;
      o[i] = down(v);
    }
  }
}

void swiglu(const Tensor& gate_up, const Tensor& out) {
  check_rows(gate_up, at::kBFloat16);
  const int64_t width = out.size(1);
  for (int64_t r = 0; r < out.size(0); r++) {
    const half* gate = halves(gate_up) + r * gate_up.stride(0);
    half* o = halves(out) + r * out.stride(0);
#pragma omp simd
    for (int64_t i = 0; i < width; i++) {
      const float a = up(gate[i]), s = 1.0f / (1.0f + exp_of(-a));
      o[i] = down(a * s * up(gate[width + i]));
    }
  }
}

void swiglu_backward(const Tensor& dy, const Tensor& gate_up, const Tensor& out) {
  check_rows(dy, at::kBFloat16);
  const int64_t width = dy.size(1);
  for (int64_t r = 0; r < dy.size(0); r++) {
    const half* d = halves(dy) + r * dy.stride(0);
    const half* gate = halves(gate_up) + r * gate_up.stride(0);
    half* o = halves(out) + r * out.stride(0);
#pragma omp simd
    for (int64_t i = 0; i < width; i++) {
      const float a = up(gate[i]), di = up(d[i]);
      const float s = 1.0f / (1.0f + exp_of(-a));
      o[i] = down(di * up(gate[width + i]) * s * (1.0f + a * (1.0f - s)));
      o[width + i] = down(di * a * s);
    }
  }
}

// Losses and greedy hits; the gradient takes the logits' place.
std::tuple<Tensor, Tensor, Tensor> cross_entropy(const Tensor& logits, const Tensor& targets, const Tensor& weights) {
  check_rows(logits, at::kBFloat16);
  const int64_t rows = logits.size(0), width = logits.size(1);
  Tensor losses = at::empty({rows}, weights.options()), hits = at::empty({rows}, weights.options().dtype(at::kBool));
  for (int64_t r = 0; r < rows; r++) {
    half* z = halves(logits) + r * logits.stride(0);
    const int64_t target = targets.data_ptr<int64_t>()[r];
    const float weight = floats(weights)[r * weights.stride(0)], chosen = up(z[target]);
    float top = -1e30f, sum = 0;
#pragma omp simd reduction(max : top)
    for (int64_t i = 0; i < width; i++) top = top < up(z[i]) ? up(z[i]) : top;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < width; i++) sum += exp_of(up(z[i]) - top);
    const float norm = top + std::log(sum);
    floats(losses)[r] = norm - chosen;
    hits.data_ptr<bool>()[r] = chosen >= top;
#pragma omp simd
    for (int64_t i = 0; i < width; i++) z[i] = down(exp_of(up(z[i]) - norm) * weight);
    z[target] = down((exp_of(chosen - norm) - 1.0f) * weight);
  }
  return {losses, hits, logits};
}

// ---- attention

// C (M, N) = A (M, K) @ packed B (K, N), or that added to it.
void product(
    int64_t m, int64_t n, int64_t k, const half* a, int64_t lda, const half* b, int64_t rows_of_b, float* c,
    int64_t ldc, bool add) {
  for (int64_t at = 0; at < n; at += PANEL) {
    at::native::cpublas::brgemm(
        m, std::min(PANEL, n - at), k, lda, PANEL, ldc, add, reinterpret_cast<const BFloat16*>(a),
        reinterpret_cast<const BFloat16*>(b + at * rows_of_b), c + at);
  }
}

// Packs rows (n, size) as a right operand with n rows.
void pack(const half* rows, int64_t n, int64_t size, half* out) {
  const int64_t filled = whole(n);
  for (int64_t panel = 0; panel < panels(size); panel += PANEL) {
    const int64_t width = std::min(PANEL, size - panel);
    for (int64_t r = 0; r < filled; r += 2) {
      half* o = out + panel * filled + r * PANEL;
      const half *one = rows + r * size + panel, *two = one + size;
      for (int64_t i = 0; i < width; i++) {
        o[2 * i] = r < n ? one[i] : 0;
        o[2 * i + 1] = r + 1 < n ? two[i] : 0;
      }
    }
  }
}

// Packs rows (n, size) as a right operand with n columns.
void pack_transposed(const half* rows, int64_t n, int64_t size, half* out) {
  const int64_t filled = panels(n);
  auto* to = reinterpret_cast<uint32_t*>(out);
  for (int64_t panel = 0; panel < filled; panel += PANEL) {
    uint32_t* o = to + panel * size / 2;
    for (int64_t i = 0; i < PANEL; i++) {
      if (panel + i < n) {
        const auto* from = reinterpret_cast<const uint32_t*>(rows + (panel + i) * size);
        for (int64_t d = 0; d < size / 2; d++) o[d * PANEL + i] = from[d];
      } else {
        for (int64_t d = 0; d < size / 2; d++) o[d * PANEL + i] = 0;
      }
    }
  }
}

// Rotates one head's vector; sign -1 turns it back.
template <typename Get, typename Set>
inline void rotate(const float* cos, const float* sin, int64_t half_size, float sign, Get get, Set set) {
#pragma omp simd
  for (int64_t i = 0; i < half_size; i++) {
    const float a = get(i), b = get(half_size + i), s = sign * sin[i];
    set(i, a * cos[i] - b * s);
    set(half_size + i, b * cos[i] + a * s);
  }
}

struct Sizes {
  int64_t length, groups, share, size, before, keys;
  int64_t rows() const { return length * share; }
  int64_t blocks() const { return (length + BLOCK - 1) / BLOCK; }
  int64_t begin(int64_t block) const { return length * block / blocks(); }
  int64_t rows_of(int64_t block) const { return (begin(block + 1) - begin(block)) * share; }
  int64_t keys_of(int64_t block) const { return whole(before + begin(block + 1)); }
  int64_t probabilities() const {  // of one group
    int64_t sum = 0;
    for (int64_t b = 0; b < blocks(); b++) sum += rows_of(b) * keys_of(b);
    return sum;
  }
};

// Causal attention of one sequence (S, (H + 2 G) * D) that also sees all of `before` (G, F, D); fills out (S, H * D).
// Returns rotated q (G, S H/G, D), k and v (G, F + S, D), and the probabilities, block after block.
std::tuple<Tensor, Tensor, Tensor, Tensor> attend(
    const Tensor& qkv, const std::optional<Tensor>& k_before, const std::optional<Tensor>& v_before, const Tensor& cos,
    const Tensor& sin, int64_t groups, int64_t size, const Tensor& out) {
  check_rows(qkv, at::kBFloat16);
  check_rows(out, at::kBFloat16);
  const int64_t length = qkv.size(0), heads = qkv.size(1) / size - 2 * groups;
  const int64_t before = k_before ? k_before->size(1) : 0;
  const Sizes s{length, groups, heads / groups, size, before, before + length};
  Tensor q = at::empty({groups, s.rows(), size}, qkv.options());
  Tensor k = at::empty({groups, s.keys, size}, qkv.options()), v = at::empty_like(k);
  if (before) {
    k.narrow(1, 0, before).copy_(*k_before);
    v.narrow(1, 0, before).copy_(*v_before);
  }
  for (int64_t t = 0; t < length; t++) {
    const half* row = halves(qkv) + t * qkv.stride(0);
    const float *c = floats(cos) + t * cos.stride(0), *n = floats(sin) + t * sin.stride(0);
    for (int64_t h = 0; h < heads + groups; h++) {
      const half* from = row + h * size;
      half* to = h < heads ? halves(q) + (h / s.share * s.rows() + t * s.share + h % s.share) * size
                           : halves(k) + ((h - heads) * s.keys + before + t) * size;
      rotate(c, n, size / 2, 1, [&](int64_t i) { return up(from[i]); }, [&](int64_t i, float x) { to[i] = down(x); });
    }
    for (int64_t g = 0; g < groups; g++)
      std::memcpy(halves(v) + (g * s.keys + before + t) * size, row + (heads + groups + g) * size, 2 * size);
  }
  Tensor p = at::empty({groups * s.probabilities()}, qkv.options());
  half* probabilities = halves(p);
  const float scale = 1.0f / std::sqrt(float(size));
  const int64_t most = whole(BLOCK * s.share);
  std::vector<half> kt(panels(s.keys) * size), vp(whole(s.keys) * panels(size));
  std::vector<float> scores(most * whole(s.keys)), o(most * size);
  for (int64_t g = 0; g < groups; g++) {
    pack_transposed(halves(k) + g * s.keys * size, s.keys, size, kt.data());
    pack(halves(v) + g * s.keys * size, s.keys, size, vp.data());
    for (int64_t b = 0; b < s.blocks(); b++) {
      const int64_t rows = s.rows_of(b), keys = s.keys_of(b);
      const half* queries = halves(q) + (g * s.rows() + s.begin(b) * s.share) * size;
      product(rows, keys, size, queries, size, kt.data(), size, scores.data(), keys, false);
      for (int64_t r = 0; r < rows; r++) {
        float* z = scores.data() + r * keys;
        half* pr = probabilities + r * keys;
        const int64_t seen = before + s.begin(b) + r / s.share + 1;
        float top = -1e30f, sum = 0;
        std::fill(z + seen, z + keys, -1e30f);  // whole vectors: what is not seen adds nothing
#pragma omp simd reduction(max : top)
        for (int64_t i = 0; i < keys; i++) top = top < z[i] ? z[i] : top;
#pragma omp simd reduction(+ : sum)
        for (int64_t i = 0; i < keys; i++) {
          z[i] = exp_of((z[i] - top) * scale);
          sum += z[i];
        }
        const float over = 1.0f / sum;
#pragma omp simd
        for (int64_t i = 0; i < keys; i++) pr[i] = down(z[i] * over);
        std::memset(pr + seen, 0, 2 * (keys - seen));
      }
      product(rows, size, keys, probabilities, keys, vp.data(), whole(s.keys), o.data(), size, false);
      for (int64_t r = 0; r < rows; r++) {
        half* to = halves(out) + (s.begin(b) + r / s.share) * out.stride(0) + (g * s.share + r % s.share) * size;
#pragma omp simd
        for (int64_t i = 0; i < size; i++) to[i] = down(o[r * size + i]);
      }
      probabilities += rows * keys;
    }
  }
  at::native::cpublas::brgemm_release();
  return {q, k, v, p};
}

// The gradient of `attend`: d_out (S, H * D) is its output's, dk and dv (G, F + S, D) float32 hold what others add to
// that of its keys and values and get its own; fills out (S, (H + 2 G) * D) with that of qkv.
void attend_backward(
    const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& p, const Tensor& d_out, const Tensor& dk,
    const Tensor& dv, const Tensor& cos, const Tensor& sin, const Tensor& out) {
  check_rows(d_out, at::kBFloat16);
  check_rows(out, at::kBFloat16);
  const int64_t groups = k.size(0), size = k.size(2), length = d_out.size(0), before = k.size(1) - length;
  const Sizes s{length, groups, q.size(1) / length, size, before, k.size(1)};
  const int64_t heads = groups * s.share, most = whole(BLOCK * s.share), filled = panels(s.keys);
  const float scale = 1.0f / std::sqrt(float(size));
  const half* probabilities = halves(p);
  std::vector<half> vt(filled * size), kp(whole(s.keys) * panels(size)), go(most * size), go_t(size * most),
      q_t(size * most), ds(most * whole(s.keys)), pp(most * filled), dsp(most * filled);
  std::vector<float> dp(most * whole(s.keys)), dq(most * size), dk_t(size * filled), dv_t(size * filled);
  for (int64_t g = 0; g < groups; g++) {
    pack_transposed(halves(v) + g * s.keys * size, s.keys, size, vt.data());
    pack(halves(k) + g * s.keys * size, s.keys, size, kp.data());
    std::fill(dk_t.begin(), dk_t.end(), 0.0f);
    std::fill(dv_t.begin(), dv_t.end(), 0.0f);
    for (int64_t b = 0; b < s.blocks(); b++) {
      const int64_t rows = s.rows_of(b), keys = s.keys_of(b), full = whole(rows);
      const half* queries = halves(q) + (g * s.rows() + s.begin(b) * s.share) * size;
      for (int64_t r = 0; r < full; r++) {
        const half* from =
            halves(d_out) + (s.begin(b) + r / s.share) * d_out.stride(0) + (g * s.share + r % s.share) * size;
        for (int64_t i = 0; i < size; i++) {
          const half value = r < rows ? from[i] : 0;
          go[r * size + i] = value;
          go_t[i * full + r] = value;
          q_t[i * full + r] = r < rows ? queries[r * size + i] : 0;
        }
      }
      product(rows, keys, size, go.data(), size, vt.data(), size, dp.data(), keys, false);
      for (int64_t r = 0; r < full; r++) {
        half* d = ds.data() + r * keys;
        const half* pr = probabilities + r * keys;
        if (r < rows) {
          const float* dpr = dp.data() + r * keys;
          float sum = 0;
#pragma omp simd reduction(+ : sum)
          for (int64_t i = 0; i < keys; i++) sum += up(pr[i]) * dpr[i];
#pragma omp simd
          for (int64_t i = 0; i < keys; i++) d[i] = down((dpr[i] - sum) * up(pr[i]) * scale);
        } else {
          std::memset(d, 0, 2 * keys);
        }
        if (r % 2) {  // two rows side by side: right operands of the products below
          const half *d0 = d - keys, *p0 = pr - keys;
          for (int64_t panel = 0; panel < keys; panel += PANEL) {
            const int64_t place = panel * full + (r - 1) * PANEL, width = std::min(PANEL, keys - panel);
            half *to_d = dsp.data() + place, *to_p = pp.data() + place;
#pragma omp simd
            for (int64_t i = 0; i < width; i++) {
              to_d[2 * i] = d0[panel + i];
              to_d[2 * i + 1] = d[panel + i];
            }
#pragma omp simd
            for (int64_t i = 0; i < width; i++) {
              to_p[2 * i] = r - 1 < rows ? p0[panel + i] : 0;
              to_p[2 * i + 1] = r < rows ? pr[panel + i] : 0;
            }
          }
        }
      }
      product(rows, size, keys, ds.data(), keys, kp.data(), whole(s.keys), dq.data(), size, false);
      product(size, keys, full, go_t.data(), full, pp.data(), full, dv_t.data(), filled, true);
      product(size, keys, full, q_t.data(), full, dsp.data(), full, dk_t.data(), filled, true);
      for (int64_t r = 0; r < rows; r++) {
        const int64_t t = s.begin(b) + r / s.share;
        const float* from = dq.data() + r * size;
        half* to = halves(out) + t * out.stride(0) + (g * s.share + r % s.share) * size;
        rotate(floats(cos) + t * cos.stride(0), floats(sin) + t * sin.stride(0), size / 2, -1,
               [&](int64_t i) { return from[i]; }, [&](int64_t i, float x) { to[i] = down(x); });
      }
      probabilities += rows * keys;
    }
    for (int64_t key = 0; key < s.keys; key++) {
      float *dkr = floats(dk) + g * dk.stride(0) + key * size, *dvr = floats(dv) + g * dv.stride(0) + key * size;
      for (int64_t i = 0; i < size; i++) {
        dkr[i] += dk_t[i * filled + key];
        dvr[i] += dv_t[i * filled + key];
      }
      if (const int64_t t = key - before; t >= 0) {
        half *to_k = halves(out) + t * out.stride(0) + (heads + g) * size, *to_v = to_k + groups * size;
        rotate(floats(cos) + t * cos.stride(0), floats(sin) + t * sin.stride(0), size / 2, -1,
               [&](int64_t i) { return dkr[i]; }, [&](int64_t i, float x) { to_k[i] = down(x); });
        for (int64_t i = 0; i < size; i++) to_v[i] = down(dvr[i]);
      }
    }
  }
  at::native::cpublas::brgemm_release();
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  using free_gil = pybind11::call_guard<pybind11::gil_scoped_release>;
  m.def("add_rms_norm", &add_rms_norm, free_gil());
  m.def("rms_norm", &rms_norm, free_gil());
  m.def("rms_norm_backward", &rms_norm_backward, free_gil());
  m.def("swiglu", &swiglu, free_gil());
  m.def("swiglu_backward", &swiglu_backward, free_gil());
  m.def("cross_entropy", &cross_entropy, free_gil());
  m.def("attend", &attend, free_gil());
  m.def("attend_backward", &attend_backward, free_gil());
}
