// heed caption: says what a picture shows, one line for each picture (Xu 2015).
//
// A picture is named as in a table (data/field/picture.cpp): a JPEG or PNG file, a file in a tar
// archive (images.tar#name.jpg), or the text of a scene to draw.
#include "heed/cli/answering.h"
#include "heed/cli/verbs.h"

namespace heed {
namespace {

class CaptionVerb : public Verb {
 public:
  void options(Options& options) override {
    answering_.model_option(options);
    options
        .add("pictures", pictures_,
             "JPEG or PNG files; without any, standard input has the path of one a line")
        .takes("FILE");
    answering_.options(options);
  }
  std::string description() const override {
    return "Says what pictures show, one line for each. With --draw, --svg or --png it shows "
           "which part of the picture each word was taken from.";
  }
  std::string examples() const override {
    return "  heed caption -m shapes.safetensors photo.jpg\n"
           "  heed caption -m shapes.safetensors --beam 5 one.jpg two.png\n"
           "  find photos -name '*.jpg' | heed caption -m shapes.safetensors --json\n"
           "  heed caption -m shapes.safetensors --n-best 3 photos.tar#one.jpg\n"
           "  heed caption -m shapes.safetensors --png seen.png photo.jpg\n"
           "  heed synth shapes --split test | heed caption -m shapes.safetensors --table -\n";
  }

  int run() override {
    return answering_.run(
        {"pictures", !pictures_.empty(), pictures_, "type the path of a picture and press Enter"});
  }

 private:
  Answering answering_{"caption"};
  std::vector<std::string> pictures_;
};

}  // namespace

std::unique_ptr<Verb> caption_verb() { return std::make_unique<CaptionVerb>(); }

}  // namespace heed
